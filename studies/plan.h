// Which runs a study consists of, each with the name under which its result is kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nodl/options.h"
#include "studies/sample_sets.h"
#include "studies/study_file.h"

namespace nodl::study {

struct PlannedRun {
  // Where the run belongs.
  std::string study;
  std::string preset;
  std::size_t panel = 0;
  std::size_t curve = 0;
  double value = 0;  // of the sweep
  std::uint64_t seed = 0;
  // What is done.
  Options options;
  Precision precision = Precision::Float64;
  std::string scikit_learn;  // the estimator that learns the dictionary; may be empty
  Json stream;
  Json products;      // pictures and further numbers that the page wants of this run
  std::string label;  // for people: "Fig. 2, 9: nodl, atoms 25"

  /// All that changes the result, in one form for one meaning.
  Json document(const DataFolder& data) const;
  /// Hash of the document, as a file name.
  std::string key(const DataFolder& data) const;
  /// Rough seconds, for the order of runs and the time left.
  double cost(const DataFolder& data) const;
};

/// Runs of all studies; the same run may be there several times, for several studies.
std::vector<PlannedRun> plan(const std::vector<Study>& studies,
                             const std::vector<std::string>& presets,
                             int seeds);

/// Samples to learn from, over all parts of the stream.
Index training_samples(const Json& stream);

}  // namespace nodl::study
