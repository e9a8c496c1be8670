// SIGINT and SIGTERM: training finishes its batch and writes it, other outputs leave nothing
// behind.
#pragma once

#include <stdexcept>
#include <string>

namespace nodl::cli {

/// Ends the program with 128 + signal, after what is said.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& what) : std::runtime_error(what), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// As long as it lives, the first signal is noted and the next one ends the program at once.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that came, or 0.
  static int received();
};

/// Throws Interrupted if a signal came before the output was whole.
void stop_if_interrupted(const std::string& output);

}  // namespace nodl::cli
