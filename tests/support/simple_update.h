// Steps 12-19 of Algorithm 1, written plainly: dense, column by column, as printed.
#pragma once

#include <algorithm>
#include <cmath>

#include "nodl/options.h"
#include "support/simple_coders.h"

namespace nodl::test {

struct SimpleUpdate {
  Matrix<double> D;
  Index sweeps = 0;
};

inline SimpleUpdate simple_update(Matrix<double> D,
                                  const Matrix<double>& A,
                                  const Matrix<double>& B,
                                  const UpdateOptions& options,
                                  const BisectionOptions& bisection = {}) {
  const Index m = D.rows();
  const Index k = D.cols();
  const bool sparse = options.atom_nonzeros < m;
  const double lambda_g = options.group_penalty;
  const double negligible = k > 0 ? 1e-12 * A.diagonal().maxCoeff() : 0.0;
  SimpleUpdate result;
  while (result.sweeps < options.max_sweeps) {
    const Matrix<double> before = D;
    for (Index j = 0; j < k; ++j) {
      const double a = A(j, j);
      Vector<double> d = D.col(j);
      // In the released code only the routine with group penalty skips (PAPER_VS_CODE 5.5).
      const bool skipped = options.dead_atoms == DeadAtoms::Skip && lambda_g > 0 && d.isZero(0);
      if (skipped) continue;
      if (a == 0) {
        const bool penalised = sparse || lambda_g > 0;
        if (options.unused_atoms == UnusedAtoms::Zero ||
            (options.unused_atoms == UnusedAtoms::Exact && penalised)) {
          d.setZero();
        }
      } else if (a >= negligible) {
        const Vector<double> u = (B.col(j) - D * A.col(j) + D.col(j) * a) / a;  // step 14
        double lambda_j = 0;
        if (sparse) {
          lambda_j = options.atom_threshold == AtomThreshold::Exact
                         ? simple_selection(u, options.atom_nonzeros)
                         : simple_bisection(u, options.atom_nonzeros, bisection);
        }
        const Vector<double> v = simple_soft(u, lambda_j);  // step 15
        const double norm = v.norm();
        const Vector<double> w = norm > lambda_g ? Vector<double>(v * (1 - lambda_g / norm))
                                                 : Vector<double>::Zero(m);  // step 16
        d = w / std::max(1.0, w.norm());                                     // step 17
      }
      Matrix<double> others = D;
      others.col(j).setZero();
      if (d.isZero(0) && others.isZero(0) && options.last_atom == LastAtom::Keep) continue;
      D.col(j) = d;
    }
    ++result.sweeps;
    if (k == 0 || (D - before).cwiseAbs().maxCoeff() < options.tolerance) break;
  }
  result.D = D;
  return result;
}

/// What steps 14-17 minimise for fixed weights: 1/2 tr(D^T D A) - tr(D^T B)
/// + sum_j a_jj (lambda_j |d_j|_1 + lambda_g |d_j|_2) over unit balls. Column j of it is
/// a_jj (1/2 |d - u_j|^2 + lambda_j |d|_1 + lambda_g |d|_2) and a constant.
inline double update_objective(const Matrix<double>& D,
                               const Matrix<double>& A,
                               const Matrix<double>& B,
                               const Vector<double>& lambda_j,
                               double lambda_g) {
  double value = 0.5 * (D.transpose() * D).cwiseProduct(A).sum() - D.cwiseProduct(B).sum();
  for (Index j = 0; j < D.cols(); ++j) {
    value += A(j, j) * (lambda_j(j) * D.col(j).lpNorm<1>() + lambda_g * D.col(j).norm());
  }
  return value;
}

}  // namespace nodl::test
