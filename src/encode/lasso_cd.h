// The LASSO by coordinate descent on the Gram matrix, with a working set and a duality-gap stop,
// finished exactly; a wanted number of nonzeros by a warm-started search over lambda.
#pragma once

#include "encode/active_set.h"
#include "encode/solver.h"

namespace nodl {

template <class Scalar>
class CdSolver {
 public:
  CdSolver(const Matrix<Scalar>& gram, Scalar resolution, CodeSign sign = CodeSign::Any);

  /// q = D^T x; `square` = |x|^2 (of the centred sample, if atoms are centred).
  void solve(const Scalar* q, Scalar square, const CodeTarget& target, SampleCode<Scalar>& code);

 private:
  void solve_at(const Scalar* q, Scalar square, Scalar lambda, SampleCode<Scalar>& code);
  void descend(Scalar lambda);
  Scalar relative_gap(const Scalar* q, Scalar square, Scalar lambda) const;

  const Matrix<Scalar>* G_;
  Scalar resolution_;
  CodeSign sign_;
  ActiveSetSolver<Scalar> finish_;
  Scalar lambda_max_ = 0;
  std::vector<Scalar> a_;  // the code, k numbers
  std::vector<Scalar> c_;  // q - G a
  std::vector<Index> working_;
  std::vector<Scalar> local_;  // c of the working set
};

}  // namespace nodl
