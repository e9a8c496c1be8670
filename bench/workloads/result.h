// What one run of a workload measured, as a line of the table and as JSON.
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure.h"
#include "nodl/learner.h"

namespace nodl::bench {

struct Result {
  std::string id{};        // P1 ... P8
  std::string what{};      // train, encode, update
  std::string skipped{};   // why nothing was measured
  std::string settings{};  // how nodl was set, in words
  Index dimension = 0;
  Index atoms = 0;       // at the start
  Index atoms_left = 0;  // at the end
  Index samples = 0;
  Seconds seconds{};                // of the whole run
  StageSeconds cpu_seconds{};       // of training, by stage
  double sweeps = 0;                // of the update, a batch
  double code_nonzeros = 0;         // mean over samples
  double objective = std::nan("");  // on held-out samples
  double heap = 0;                  // bytes at most, without the input data
  double heap_allowed = 0;          // bytes
  /// Share of the measured GEMM rate that a dense phase reaches.
  std::map<std::string, double> gemm_share{};
  /// CPU microseconds a sample by stage that the cost model of docs/PERFORMANCE.md foresees.
  std::map<std::string, double> model{};
  std::map<std::string, double> more{};  // what only this workload has

  double microseconds() const {
    return samples == 0 ? 0 : 1e6 * seconds.cpu / static_cast<double>(samples);
  }
};

void add(StageSeconds& sum, const StageSeconds& part);
double all_stages(const StageSeconds& seconds);

nlohmann::json to_json(const Result& result);
std::string table(const std::vector<Result>& results);

}  // namespace nodl::bench
