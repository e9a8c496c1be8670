// Correlations of atoms with the residual of a code whose support stays while its values change.
#pragma once

#include <vector>

#include "nodl/coding_dictionary.h"

namespace nodl {

/// c = D_A^T (x - D_A a), by one of two ways of the same accuracy: from the residual itself, 4 m p
/// flops each time, or from the Gram matrix, 2 m p once and 2 p^2 each time.
template <class Scalar>
class SupportGradient {
 public:
  /// `gram` of the dictionary, or null: by residuals.
  SupportGradient(const CodingDictionary<Scalar>& dictionary, const Matrix<Scalar>* gram);

  /// Whether the Gram matrix is worth what it costs for the codes of `samples` samples.
  static bool wants_gram(const CodingDictionary<Scalar>& dictionary,
                         Index samples,
                         Index nonzeros_of_a_code);

  /// Another sample, another support. x: m numbers, or null and q = D^T x: k numbers, which only
  /// the Gram matrix makes do with. All must outlive what follows.
  void start(const Scalar* x, const Scalar* q, const std::vector<RowIndex>& atoms);
  /// Of the atoms of the support, for these values of the code.
  void evaluate(const Scalar* values, Scalar* out);
  /// Of any atom, for the values of the last evaluation.
  Scalar correlation(RowIndex atom);

 private:
  Scalar correlation_of_sample(RowIndex atom) const;
  void subtract_products(const Scalar* values, Scalar* out) const;

  const CodingDictionary<Scalar>& dictionary_;
  const Matrix<Scalar>* gram_;
  const Scalar* x_ = nullptr;
  const Scalar* all_q_ = nullptr;
  const std::vector<RowIndex>* atoms_ = nullptr;
  std::vector<Scalar> residual_;    // by residuals
  std::vector<Scalar> q_, values_;  // by the Gram matrix: D_A^T x, a
  std::vector<Scalar> block_;       // G_AA, by columns
  std::vector<Scalar> row_;         // G_jA
};

}  // namespace nodl
