// Batch orthogonal matching pursuit of one sample (Rubinstein, Zibulevsky, Elad, 2008), in QR form.
#pragma once

#include "encode/projections.h"
#include "encode/solver.h"

namespace nodl {

template <class Scalar>
class OmpSolver {
 public:
  OmpSolver(const Matrix<Scalar>& gram, Scalar resolution);

  /// q = D^T x. Exactly `nonzeros` atoms unless the residual vanishes or independent atoms run out.
  void solve(const Scalar* q, Index nonzeros, SampleCode<Scalar>& code);

 private:
  const Matrix<Scalar>* G_;
  Scalar resolution_;
  Projections<Scalar> projections_;
  std::vector<Scalar> c_;  // correlations of all atoms with the residual; chosen ones are 0
  std::vector<Scalar> y_;  // coordinates of x in the directions of the support
};

}  // namespace nodl
