// Wall-clock and CPU seconds of the stages of a command.
#pragma once

#include <chrono>
#include <ctime>

namespace nodl::cli {

struct Seconds {
  double wall = 0;
  double cpu = 0;  // of all threads together
};

/// Adds the seconds of its life to `total`.
class Stopwatch {
 public:
  explicit Stopwatch(Seconds& total) : total_(total) {}
  ~Stopwatch() {
    using std::chrono::duration;
    total_.wall += duration<double>(std::chrono::steady_clock::now() - wall_).count();
    total_.cpu += cpu_now() - cpu_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  static double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  Seconds& total_;
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_now();
};

}  // namespace nodl::cli
