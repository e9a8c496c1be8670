// One run of a study: a learner, its stream, its tests.
#pragma once

#include <map>
#include <string>

#include "studies/plan.h"

namespace nodl::study {

struct RunResult {
  std::map<std::string, double> numbers;  // alive, pearson.oxford, mse.oxford, ...
  Json pictures = Json::object();         // what the products asked for
  double seconds = 0;
};

/// Learns with one thread, so that any number of runs can go on at the same time.
RunResult execute(const PlannedRun& run, const DataFolder& data);

}  // namespace nodl::study
