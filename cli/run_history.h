// What an event file (`train --events`) tells of a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nodl::cli {

/// One batch, or several in a row taken together.
struct RunPoint {
  std::int64_t first_batch = 0;
  std::int64_t last_batch = 0;
  std::int64_t samples = 0;
  double pearson_before = 0;  // means over samples
  double pearson_after = 0;
  double code_nonzeros = 0;
  std::int64_t born = 0;
  std::int64_t died = 0;
  std::int64_t denied = 0;
  std::int64_t atoms = 0;  // after the last batch
  std::int64_t atoms_alive = 0;
  std::int64_t sweeps = 0;
  std::int64_t not_converged = 0;  // batches
  std::vector<double> seconds;     // as RunHistory::stages

  std::int64_t batches() const { return last_batch - first_batch + 1; }
};

/// Batches that came from one input.
struct RunInput {
  std::string name;
  std::int64_t first_batch = 0;
  std::int64_t last_batch = 0;
};

struct RunHistory {
  std::vector<std::string> stages;
  std::vector<RunPoint> points;  // at most kMaxPoints
  std::int64_t batches_per_point = 1;
  std::vector<RunInput> inputs;  // the first kMaxInputs changes
  double age_at_death = 0;       // mean, in batches

  static constexpr std::size_t kMaxPoints = 2000;
  static constexpr std::size_t kMaxInputs = 200;

  /// All points as one.
  RunPoint total() const;
};

/// Reads the file in constant memory. A last line without an end (the run was killed, or still
/// runs) is left out. Throws DataError with file and line.
RunHistory read_events(const std::string& path);

}  // namespace nodl::cli
