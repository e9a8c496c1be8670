// CPU and wall-clock seconds of a piece of work. CPU seconds are those of all threads of the
// process: on a shared machine only they say what the work cost.
#pragma once

#include <chrono>
#include <ctime>

namespace nodl::bench {

struct Seconds {
  double cpu = 0;
  double wall = 0;
};

template <class Work>
Seconds measure(Work&& work) {
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  return {static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count()};
}

/// Least CPU seconds of one call, over calls that together take about `enough` seconds. The least,
/// because whatever disturbs a short kernel only ever adds.
template <class Work>
double least_cpu_seconds(Work&& work, double enough = 0.1) {
  double least = measure(work).cpu;
  for (double spent = least; spent < enough;) {
    const double once = measure(work).cpu;
    least = once < least ? once : least;
    spent += once + 1e-6;
  }
  return least;
}

}  // namespace nodl::bench
