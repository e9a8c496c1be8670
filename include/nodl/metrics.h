// How well codes represent samples. Defined for all inputs: a correlation with a zero code, a
// constant sample or a constant reconstruction is 0.
#pragma once

#include <span>
#include <vector>

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"
#include "nodl/encoder.h"
#include "nodl/thread_pool.h"

namespace nodl {

template <class Scalar>
double pearson(std::span<const Scalar> x, std::span<const Scalar> y);
/// Pearson correlation of average ranks.
template <class Scalar>
double spearman(std::span<const Scalar> x, std::span<const Scalar> y);

enum class Correlations { Pearson, PearsonAndSpearman };

/// One entry a sample. With centred atoms the reconstruction includes the sample's mean.
struct Scores {
  std::vector<double> pearson;
  std::vector<double> spearman;       // empty unless asked for
  std::vector<double> squared_error;  // |x - x^|^2
  std::vector<double> deviation;      // |x - mean(x)|^2
};

template <class Scalar>
Scores score(const CodingDictionary<Scalar>& dictionary,
             const Batch<Scalar>& batch,
             const Codes<Scalar>& codes,
             Correlations wanted,
             ThreadPool& pool);

/// Means over samples, over any number of batches.
struct Evaluation {
  Index samples = 0;
  double pearson = 0;
  double spearman = 0;
  double mse = 0;                 // per coordinate
  double explained_variance = 0;  // 1 - sum |x - x^|^2 / sum |x - mean(x)|^2, pooled
  double code_nonzeros = 0;
};

class Evaluator {
 public:
  void add(const Scores& scores, Index dimension, Index code_nonzeros);
  Evaluation result() const;

 private:
  Index samples_ = 0;
  Index dimension_ = 0;
  double pearson_ = 0, spearman_ = 0, squared_error_ = 0, deviation_ = 0;
  Index code_nonzeros_ = 0;
};

}  // namespace nodl
