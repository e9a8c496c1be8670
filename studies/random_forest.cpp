// A forest of 50 trees (Breiman 2001) by XGBoost, in its mode for random forests: one round of
// trees grown side by side, each on a share of the samples, with the square root of the features at
// each node. With labels of +-1, squared error orders splits as Gini does, and a leaf is the mean
// label of its samples.
#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "classification.h"
#include "nodl/error.h"

namespace nodl::study {
namespace {

void check(int status) {
  if (status != 0) throw Error(std::string("XGBoost: ") + XGBGetLastError());
}

using Handle = std::unique_ptr<void, int (*)(void*)>;

Handle table_of(const Matrix<double>& features) {
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
      features.cast<float>();
  DMatrixHandle table = nullptr;
  check(XGDMatrixCreateFromMat(rows.data(),
                               static_cast<bst_ulong>(rows.rows()),
                               static_cast<bst_ulong>(rows.cols()),
                               std::numeric_limits<float>::quiet_NaN(),
                               &table));
  return {table, &XGDMatrixFree};
}

/// One thread: runs are spread over the cores already, and the result depends on none of them.
std::map<std::string, std::string> settings_for(Index features, std::uint64_t seed) {
  const double tried = std::ceil(std::sqrt(static_cast<double>(features)));
  return {{"nthread", "1"},
          {"verbosity", "0"},
          {"seed", std::to_string(seed)},
          {"objective", "reg:squarederror"},
          {"base_score", "0"},
          {"num_parallel_tree", "50"},
          {"learning_rate", "1"},
          {"subsample", "0.632"},  // as many different samples as a bootstrap has
          {"colsample_bynode", std::to_string(tried / static_cast<double>(features))},
          {"max_depth", "12"},
          {"min_child_weight", "3"},  // different samples; a bootstrap's 5, copies counted
          {"reg_lambda", "0"},
          {"tree_method", "hist"},
          {"max_bin", "32"}};
}

}  // namespace

std::vector<int> random_forest(const Labelled& train,
                               const Matrix<double>& test,
                               std::uint64_t seed) {
  const Handle samples = table_of(train.features);
  const std::vector<float> labels(train.labels.begin(), train.labels.end());
  check(XGDMatrixSetFloatInfo(samples.get(), "label", labels.data(), labels.size()));
  BoosterHandle created = nullptr;
  const DMatrixHandle known[] = {samples.get()};
  check(XGBoosterCreate(known, 1, &created));
  const Handle forest(created, &XGBoosterFree);
  for (const auto& [name, value] : settings_for(train.features.cols(), seed)) {
    check(XGBoosterSetParam(forest.get(), name.c_str(), value.c_str()));
  }
  check(XGBoosterUpdateOneIter(forest.get(), 0, samples.get()));

  const Handle questions = table_of(test);
  bst_ulong count = 0;
  const float* votes = nullptr;
  check(XGBoosterPredict(forest.get(), questions.get(), 0, 0, 0, &count, &votes));
  std::vector<int> predicted;
  for (bst_ulong i = 0; i < count; ++i) predicted.push_back(votes[i] >= 0 ? 1 : -1);
  return predicted;
}

}  // namespace nodl::study
