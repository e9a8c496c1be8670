// Runs of studies spread over the cores, each with one thread: which core a run meets, and what
// else goes on, does not change its result.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "studies/run_cache.h"

namespace nodl::study {

/// How far a study is.
struct StudyProgress {
  std::size_t done = 0;  // runs, with those found in the cache
  std::size_t total = 0;
  std::size_t found = 0;     // in the cache
  double seconds_left = -1;  // not known before the first run ended
  std::string current;       // label of the run that ended last
};

/// Results by key. `watch` is called after each run, by one thread at a time. The first exception
/// of a run ends all.
std::map<std::string, RunResult> run_all(const std::vector<PlannedRun>& runs,
                                         const DataFolder& data,
                                         const RunCache& cache,
                                         int threads,
                                         const std::function<void(const StudyProgress&)>& watch);

}  // namespace nodl::study
