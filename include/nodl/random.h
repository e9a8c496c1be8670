// Counter-based random numbers: the n-th draw of a stream is a function of (seed, stream, n) alone,
// so that draws do not depend on threads, on resuming, or on what other stages draw.
#pragma once

#include <array>
#include <cstdint>

namespace nodl {

/// What a stream of draws is for; part of its key, so that new purposes do not shift old draws.
enum class Purpose : std::uint32_t {
  InitialAtom = 1,
  NewbornAtom = 2,
  RedrawnAtom = 3,
  ChooseSamples = 4,
  SyntheticData = 5,
  SyntheticAtom = 6,
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC
/// 2011).
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// One stream of draws. `first` and `second` tell streams of a purpose apart (batch, atom, ...).
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t first = 0, std::uint32_t second = 0);

  std::uint64_t bits();                      // 64 random bits
  double uniform();                          // in (0, 1), 53 bits, never 0 or 1
  double normal();                           // standard normal
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), unbiased; bound > 0

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace nodl
