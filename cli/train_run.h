// One run of `nodl train`: from the inputs to the model file.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluation.h"
#include "nodl/io/bad_rows.h"
#include "nodl/learner.h"
#include "nodl/model.h"
#include "stopwatch.h"
#include "train_settings.h"

namespace nodl::cli {

struct TrainSeconds {
  Seconds total;
  Seconds read;
  Seconds learn;
  StageSeconds stages;      // of learn; wall clock
  StageSeconds cpu_stages;  // of learn; CPU
  Seconds write;
  Seconds evaluate;
};

struct TrainResult {
  Precision precision = Precision::Float64;
  Options options;  // resolved
  Index dimension = 0;
  bool sparse_input = false;
  std::shared_ptr<io::BadRows> bad_rows;  // none: the first one would have stopped the run
  Index atoms_before = 0;
  Index atoms = 0;
  Index atoms_alive = 0;
  Progress progress;              // of the model's whole life
  Progress before;                // of the model that --from named
  StreamPlace stream_before;      // of the same
  std::int64_t resumed_at = 0;    // batches that were there already
  bool was_finished = false;      // --resume found nothing left to do
  std::optional<double> pearson;  // of the last batch
  std::vector<NamedEvaluation> evals;
  std::exception_ptr eval_failure;  // of the one that would come next
  TrainSeconds seconds;
};

/// `from` is the model to learn on from, if any. Throws the errors of nodl/error.h; the model file
/// is not touched before the first checkpoint. What an evaluation throws is kept in the result.
template <class Scalar>
void train(const TrainSettings& settings,
           const Options& options,
           std::optional<Model<Scalar>> from,
           TrainResult& result);

/// Results, as a table or as one JSON document.
void print_train_result(const TrainResult& result, const TrainSettings& settings);

}  // namespace nodl::cli
