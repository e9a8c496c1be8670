// Waiting for what usually comes at once.
#pragma once

namespace nodl {

// About 0.2 to 0.4 ms, by the processor: the corrections inside a panel of a dense update, which
// one thread makes, take a tenth of that or more.
constexpr int kSpins = 8000;

/// False if it takes longer than that. Stages of a batch follow each other within microseconds, and
/// waking a sleeping thread takes tens of them.
template <class Ready>
bool spin_until(const Ready& ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace nodl
