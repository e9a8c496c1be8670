// LASSO optimality of a code, in double arithmetic and by definition:
//   min_c 1/2 |x - D c|^2 + lambda |c|_1,   g = D^T (x - D c),
//   c_j != 0: g_j = lambda sgn(c_j);   c_j = 0: |g_j| <= lambda.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "nodl/types.h"

namespace nodl::test {

struct LassoConditions {
  double violation = 0;         // the largest over atoms
  double lambda_max = 0;        // |D^T x|_inf: the smallest lambda whose code is zero
  double objective = 0;         // primal
  double gap = 0;               // primal - dual, at the feasible point nearest to the residual
  double largest_inactive = 0;  // max |g_j| over c_j = 0: lambda where a variable is about to enter
  double rounding = 0;  // of these numbers themselves: eps (|x| + sum |c_j| |d_j|) max |d_j|
  Index nonzeros = 0;
};

inline LassoConditions lasso_conditions(const Matrix<double>& D,
                                        const Vector<double>& x,
                                        const Vector<double>& c,
                                        double lambda) {
  LassoConditions result;
  const Vector<double> r = x - D * c;
  const Vector<double> g = D.transpose() * r;
  for (Index j = 0; j < D.cols(); ++j) {
    if (c(j) != 0) {
      const double sign = c(j) > 0 ? 1 : -1;
      result.violation = std::max(result.violation, std::abs(g(j) - lambda * sign));
      ++result.nonzeros;
    } else {
      result.violation = std::max(result.violation, std::abs(g(j)) - lambda);
      result.largest_inactive = std::max(result.largest_inactive, std::abs(g(j)));
    }
  }
  if (D.cols() > 0) {
    const Vector<double> lengths = D.colwise().norm();
    result.rounding = std::numeric_limits<double>::epsilon() * lengths.maxCoeff() *
                      (x.norm() + lengths.dot(c.cwiseAbs()));
    result.lambda_max = (D.transpose() * x).cwiseAbs().maxCoeff();
  }
  result.objective = 0.5 * r.squaredNorm() + lambda * c.lpNorm<1>();
  // Dual: max theta^T x - |theta|^2 / 2 subject to |D^T theta|_inf <= lambda.
  const double largest = D.cols() > 0 ? g.cwiseAbs().maxCoeff() : 0.0;
  const Vector<double> theta = largest > lambda ? Vector<double>(r * (lambda / largest)) : r;
  result.gap = result.objective - (theta.dot(x) - 0.5 * theta.squaredNorm());
  return result;
}

/// How far PRODUCT.md's first promise lets the conditions be violated.
template <class Scalar>
double promised_violation(double lambda, double lambda_max) {
  if (sizeof(Scalar) == sizeof(double)) return 1e-6 * std::max(lambda, 1e-6 * lambda_max);
  return 1e-3 * lambda + 1e-5 * lambda_max;
}

}  // namespace nodl::test
