#include "interruption.h"

#include <array>
#include <atomic>
#include <csignal>

namespace nodl::cli {
namespace {

constexpr std::array<int, 2> kWatched = {SIGINT, SIGTERM};

// Any thread may be the one that runs the handler.
std::atomic<int> received_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // which makes it safe in a handler

void note(int signal) { received_signal = signal; }

void set_action(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int signal : kWatched) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    // What the parent chose to ignore (nohup, a shell's background job) stays ignored.
    if (now.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

SignalWatch::SignalWatch() {
  received_signal = 0;
  // No SA_RESTART: a read that waits for data must come back.
  set_action(note, static_cast<int>(SA_RESETHAND));
}
SignalWatch::~SignalWatch() { set_action(SIG_DFL, 0); }

int SignalWatch::received() { return received_signal; }

void stop_if_interrupted(const std::string& output) {
  const int signal = SignalWatch::received();
  if (signal != 0) throw Interrupted(signal, "interrupted before " + output + " was written");
}

}  // namespace nodl::cli
