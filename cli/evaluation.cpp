#include "evaluation.h"

#include <fmt/core.h>

#include "coding_stream.h"
#include "nodl/coding_dictionary.h"
#include "nodl/encoder.h"
#include "table.h"

namespace nodl::cli {

template <class Scalar>
Evaluation evaluate_input(const Model<Scalar>& model,
                          const std::string& path,
                          const io::ReadOptions& read,
                          ThreadPool& pool) {
  const auto stream = coding_stream(model, path, read);
  const CodingDictionary<Scalar> dictionary(model.dictionary, model.options.coding.atom_norm);
  Evaluator evaluator;
  const auto interrupted = [&] { return read.interrupted && read.interrupted(); };
  while (!interrupted() && stream->next()) {
    const Batch<Scalar>& batch = stream->batch();
    const Codes<Scalar> codes =
        encode(dictionary, batch, model.options.coding, model.options.bisection, pool);
    const Scores scores = score(dictionary, batch, codes, Correlations::PearsonAndSpearman, pool);
    evaluator.add(scores, batch.dimension(), codes.columns.nonzeros());
  }
  return evaluator.result();
}

Json to_json(const NamedEvaluation& evaluation) {
  const auto& [name, result] = evaluation;
  return {{"name", name},
          {"samples", result.samples},
          {"pearson", result.pearson},
          {"spearman", result.spearman},
          {"mse", result.mse},
          {"explained_variance", result.explained_variance},
          {"code_nonzeros", result.code_nonzeros}};
}

std::string to_table(const std::vector<NamedEvaluation>& evaluations) {
  Table table({"input", "samples", "Pearson", "Spearman", "MSE", "explained", "nonzeros"});
  for (const auto& [name, result] : evaluations) {
    table.add({name,
               grouped(result.samples),
               fmt::format("{:.4f}", result.pearson),
               fmt::format("{:.4f}", result.spearman),
               fmt::format("{:.4g}", result.mse),
               fmt::format("{:.4f}", result.explained_variance),
               fmt::format("{:.1f}", result.code_nonzeros)});
  }
  return table.text();
}

template Evaluation evaluate_input(const Model<double>&,
                                   const std::string&,
                                   const io::ReadOptions&,
                                   ThreadPool&);
template Evaluation evaluate_input(const Model<float>&,
                                   const std::string&,
                                   const io::ReadOptions&,
                                   ThreadPool&);

}  // namespace nodl::cli
