// LASSO codes: searched for in float32, then refined and checked in the precision of the data.
#pragma once

#include <memory>

#include "encode/lasso_search.h"
#include "encode/path_search.h"
#include "encode/solver.h"
#include "encode/support_gradient.h"
#include "nodl/coding_dictionary.h"

namespace nodl {

template <class Scalar>
class CertifiedLasso {
 public:
  /// `gram` is that of the same atoms in float32; `exact_gram` may be null (SupportGradient).
  CertifiedLasso(const CodingDictionary<Scalar>& dictionary,
                 const Matrix<float>& gram,
                 const Matrix<Scalar>* exact_gram,
                 const CodeTarget& target);

  /// q = D^T x: k numbers, float32, right to the rounding of `norm`. The sample itself: x, m
  /// numbers, or null and exact_q, the same as q in the data's precision. False if no code could be
  /// certified.
  bool solve(
      const Scalar* x, const Scalar* exact_q, const float* q, float norm, SampleCode<Scalar>& code);

  /// More nonzeros than the searches are made for.
  static bool too_deep(const CodeTarget& target, Index k);

 private:
  bool at_lambda(const Scalar* x, const Scalar* exact_q, const float* q);
  bool to_count(const Scalar* x, const Scalar* exact_q, const float* q);
  template <class Search>
  void take(const Search& search, double lambda);
  template <class Search>
  bool refine(const Search& search, double goal);
  template <class Search>
  Index wrong_sign(const Search& search) const;
  template <class Search>
  RowIndex violator(const Search& search);

  CodeTarget target_;
  std::unique_ptr<LassoSearch> at_lambda_;
  std::unique_ptr<PathSearch> to_count_;
  double lambda_ = 0;
  std::vector<RowIndex> atoms_;
  std::vector<Scalar> values_, gradient_;
  SupportGradient<Scalar> support_;
  std::vector<float> correction_;
  std::vector<RowIndex> close_;
};

}  // namespace nodl
