#include "encode/omp.h"

namespace nodl {

template <class Scalar>
OmpSolver<Scalar>::OmpSolver(const Matrix<Scalar>& gram, Scalar resolution)
    : G_(&gram), resolution_(resolution), projections_(gram, resolution), c_(gram.rows()) {}

template <class Scalar>
void OmpSolver<Scalar>::solve(const Scalar* q, Index nonzeros, SampleCode<Scalar>& code) {
  const Index k = G_->rows();
  Eigen::Map<Vector<Scalar>> c(c_.data(), k);
  code.clear();
  projections_.clear();
  y_.clear();
  c = Eigen::Map<const Vector<Scalar>>(q, k);
  const Scalar rounding = largest_magnitude(q, k) * kRounding * resolution_;
  while (projections_.size() < nonzeros) {
    Index best = 0;
    if (k == 0 || !(c.cwiseAbs().maxCoeff(&best) > rounding)) break;
    const Index p = projections_.size();
    if (!projections_.add(best)) {
      c[best] = 0;  // in the span already; rounding made it look useful
      continue;
    }
    const Scalar y = c[best] / projections_.factor().row(p)[p];
    y_.push_back(y);
    c -= y * Eigen::Map<const Vector<Scalar>>(projections_.row(p), k);
    for (const Index j : projections_.factor().support()) c[j] = 0;
  }
  code.atoms = projections_.factor().support();
  code.values = y_;
  projections_.factor().solve_upper(code.values.data());
}

template class OmpSolver<double>;

}  // namespace nodl
