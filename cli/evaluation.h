// How well a model represents an input: what `evaluate` and `train --eval` report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json_output.h"
#include "nodl/io/sample_reader.h"
#include "nodl/metrics.h"
#include "nodl/model.h"
#include "nodl/thread_pool.h"

namespace nodl::cli {

/// Reads the input in blocks, until its end or an interruption. Throws DataError if its samples are
/// not of the model's size.
template <class Scalar>
Evaluation evaluate_input(const Model<Scalar>& model,
                          const std::string& path,
                          const io::ReadOptions& read,
                          ThreadPool& pool);

using NamedEvaluation = std::pair<std::string, Evaluation>;
Json to_json(const NamedEvaluation& evaluation);
std::string to_table(const std::vector<NamedEvaluation>& evaluations);

}  // namespace nodl::cli
