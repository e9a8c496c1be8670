// Coders written plainly, one dense column at a time: twins of the fast ones.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl::test {

/// Atoms as coding sees them (PAPER_VS_CODE 2.3).
inline Matrix<double> simple_normalised(Matrix<double> D, AtomNorm norm) {
  for (Index j = 0; j < D.cols(); ++j) {
    if (norm == AtomNorm::Raw) break;
    if (norm == AtomNorm::Centered) D.col(j).array() -= D.col(j).mean();
    const double length = D.col(j).norm();
    if (length > 0) D.col(j) /= length;
  }
  return D;
}

inline Matrix<double> columns_of(const Matrix<double>& D, const std::vector<Index>& chosen) {
  Matrix<double> part(D.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    part.col(static_cast<Index>(i)) = D.col(chosen[i]);
  return part;
}

struct SimpleCode {
  Vector<double> code;
  double lambda = 0;
};

/// The LASSO path from lambda_max downwards, breakpoint by breakpoint, every system solved anew;
/// stops where one more variable would make `count` + 1, or at `lambda_end`. For data in general
/// position.
inline SimpleCode simple_lasso_path(const Matrix<double>& D,
                                    const Vector<double>& x,
                                    Index count,
                                    double lambda_end = 0) {
  const Index k = D.cols();
  SimpleCode result{Vector<double>::Zero(k), 0};
  Vector<double> g = D.transpose() * x;
  Index entering = 0;
  result.lambda = g.cwiseAbs().maxCoeff(&entering);
  if (result.lambda <= lambda_end || count == 0) return result;
  std::vector<Index> active;
  while (true) {
    if (entering >= 0) active.push_back(entering);
    const Matrix<double> part = columns_of(D, active);
    Vector<double> signs(part.cols());
    for (Index i = 0; i < part.cols(); ++i) signs(i) = g(active[i]) > 0 ? 1 : -1;
    // As lambda falls by s: c_A += s w, g -= s D^T D_A w, with D_A^T D_A w = sgn.
    const Vector<double> w = (part.transpose() * part).ldlt().solve(signs);
    const Vector<double> slope = D.transpose() * (part * w);
    double step = result.lambda - lambda_end;
    entering = -1;
    Index leaving = -1;
    for (Index j = 0; j < k; ++j) {
      if (std::find(active.begin(), active.end(), j) != active.end()) continue;
      for (const double sign : {1.0, -1.0}) {
        const double speed = 1 - sign * slope(j);
        const double needed = (result.lambda - sign * g(j)) / speed;
        if (speed > 1e-12 && needed > 1e-14 && needed < step) {
          step = needed;
          entering = j;
        }
      }
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
      const double needed = -result.code(active[i]) / w(static_cast<Index>(i));
      if (needed > 1e-14 && needed < step) {
        step = needed;
        entering = -1;
        leaving = static_cast<Index>(i);
      }
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
      result.code(active[i]) += step * w(static_cast<Index>(i));
    }
    result.lambda -= step;
    g = D.transpose() * (x - D * result.code);
    if (leaving >= 0) {
      result.code(active[leaving]) = 0;
      active.erase(active.begin() + leaving);
    } else if (entering < 0 || static_cast<Index>(active.size()) == count) {
      return result;
    }
  }
}

inline Vector<double> least_squares(const Matrix<double>& D, const Vector<double>& x) {
  return D.completeOrthogonalDecomposition().solve(x);  // minimum norm
}

/// Orthogonal matching pursuit: the atom with the largest |d^T r|, then least squares on all
/// chosen.
inline Vector<double> simple_omp(const Matrix<double>& D, const Vector<double>& x, Index count) {
  Vector<double> code = Vector<double>::Zero(D.cols());
  std::vector<Index> chosen;
  Vector<double> r = x;
  while (static_cast<Index>(chosen.size()) < std::min(count, D.cols())) {
    Index best = 0;
    const double largest = (D.transpose() * r).cwiseAbs().maxCoeff(&best);
    if (largest <= 1e-12 * x.norm() * D.colwise().norm().maxCoeff()) break;
    chosen.push_back(best);
    const Matrix<double> part = columns_of(D, chosen);
    const Vector<double> coefficients = least_squares(part, x);
    code.setZero();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      code(chosen[i]) = coefficients(static_cast<Index>(i));
    }
    r = x - D * code;
  }
  return code;
}

/// LSQR from zero as PAPER_VS_CODE 2.1 describes it: the stopping tests look at the previous
/// iterate before the new step is added. `cap` 0: none.
inline Vector<double> simple_lsqr(const Matrix<double>& D, const Vector<double>& b, Index cap) {
  const double tolerance = 1e-6;
  const double eps = std::numeric_limits<double>::epsilon();
  Vector<double> x = Vector<double>::Zero(D.cols());
  if (b.norm() == 0) return x;
  Vector<double> u = b / b.norm();
  Vector<double> v = D.transpose() * u;
  double alpha = v.norm();
  if (alpha == 0) return x;
  v /= alpha;
  Vector<double> d = Vector<double>::Zero(D.cols());
  double cosine = 1, sine = 0, phi_bar = b.norm();
  double norm_r = b.norm(), norm_ar = alpha * b.norm(), norm_a = 0;
  int stagnant = 0;
  const Index limit = cap > 0 ? std::min({D.rows(), D.cols(), cap}) : 100 * D.cols();
  for (Index iteration = 0; iteration < limit; ++iteration) {
    u = D * v - alpha * u;
    const double beta = u.norm();
    if (beta > 0) u /= beta;
    norm_a = std::sqrt(norm_a * norm_a + alpha * alpha + beta * beta);
    const double theta = -sine * alpha;
    const double rho_bar = cosine * alpha;
    const double rho = std::hypot(rho_bar, beta);
    cosine = rho_bar / rho;
    sine = -beta / rho;
    const double phi = cosine * phi_bar;
    phi_bar *= sine;
    d = (v - theta * d) / rho;
    stagnant = std::abs(phi) * d.norm() < eps * x.norm() ? stagnant + 1 : 0;
    if (norm_ar / (norm_a * norm_r) <= tolerance) break;  // (a)
    if (norm_r <= tolerance * b.norm()) break;            // (b)
    if (stagnant >= 3) break;                             // (c)
    x += phi * d;
    norm_r *= std::abs(sine);
    v = D.transpose() * u - beta * v;
    alpha = v.norm();
    if (alpha == 0 || beta == 0) break;
    v /= alpha;
    norm_ar = alpha * std::abs(sine * phi);
  }
  return x;
}

inline Index nonzeros(const Vector<double>& u) { return (u.array() != 0).count(); }

/// Alg. 2 as printed, with the guard of issue 2.
inline double simple_bisection(const Vector<double>& u,
                               Index beta,
                               const BisectionOptions& options) {
  if (nonzeros(u) <= beta) return 0;
  double low = 0;
  double high = u.cwiseAbs().maxCoeff();
  const double margin = options.count_tolerance == 0
                            ? 0.0
                            : std::max(options.count_tolerance * static_cast<double>(beta), 1.0);
  while (true) {
    const double middle = (low + high) / 2;
    const Index count = (u.array().abs() > middle).count();
    if ((high - low) / high < options.tolerance) return middle;
    if (std::abs(static_cast<double>(count - beta)) <= margin) return middle;
    (count > beta ? low : high) = middle;
  }
}

/// By sorting: the (beta+1)-th largest |u|, or the next smaller distinct value if ties there would
/// leave fewer than beta.
inline double simple_selection(const Vector<double>& u, Index beta) {
  std::vector<double> sorted;
  for (const double value : u) sorted.push_back(std::abs(value));
  std::sort(sorted.rbegin(), sorted.rend());
  if (beta >= u.size()) return 0;
  const double pivot = sorted[beta];
  const auto above = [&](double value) {
    return std::count_if(sorted.begin(), sorted.end(), [&](double s) { return s > value; });
  };
  if (above(pivot) >= beta) return pivot;
  for (const double value : sorted) {
    if (value < pivot) return value;
  }
  return 0;
}

inline Vector<double> simple_soft(const Vector<double>& u, double lambda) {
  return (u.array().sign() * (u.array().abs() - lambda).max(0)).matrix();
}

/// What the authors ran: LSQR, then one soft threshold by Alg. 2 if code_nonzeros < k.
inline SimpleCode simple_threshold_code(const Matrix<double>& D,
                                        const Vector<double>& x,
                                        const CodingOptions& options,
                                        const BisectionOptions& bisection) {
  const Vector<double> u = simple_lsqr(D, x, options.lsqr_iterations);
  double lambda = options.lambda.value_or(0);
  if (options.code_nonzeros && *options.code_nonzeros < D.cols()) {
    lambda = std::max(lambda, simple_bisection(u, *options.code_nonzeros, bisection));
  }
  return {simple_soft(u, lambda), lambda};
}

}  // namespace nodl::test
