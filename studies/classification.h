// Sec. 4.1: codes as features, tested by telling two sets apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nodl/types.h"

namespace nodl::study {

/// Features, one sample a row, with the class of each: +1 or -1.
struct Labelled {
  Matrix<double> features;
  std::vector<int> labels;

  Index samples() const { return features.rows(); }
};

/// Columns by how clearly they differ between the classes: smallest p-value of a t-test with equal
/// variances first. All tests have the same degrees of freedom, so that |t| decides.
std::vector<Index> ranked_features(const Labelled& data);

/// Predictions of each classifier, learned from `train`.
std::vector<int> logistic_regression(const Labelled& train, const Matrix<double>& test);
std::vector<int> naive_bayes(const Labelled& train, const Matrix<double>& test);
std::vector<int> nearest_neighbour(const Labelled& train, const Matrix<double>& test);
std::vector<int> random_forest(const Labelled& train,
                               const Matrix<double>& test,
                               std::uint64_t seed);

/// 10-fold cross-validation; rows are shuffled by the seed, and features are ranked anew on the
/// training part of each fold. Error rates under "error.CLASSIFIER.COUNT" for each number of
/// features.
std::map<std::string, double> classification_errors(const Labelled& data,
                                                    const std::vector<Index>& counts,
                                                    std::uint64_t seed);

}  // namespace nodl::study
