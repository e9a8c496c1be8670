// What the coders of one sample have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl {

/// When a code is done: at `lambda`, or earlier where one more atom would make the count exceed
/// `nonzeros`.
struct CodeTarget {
  std::optional<double> lambda{};
  Index nonzeros = 0;
};

inline CodeTarget target_of(const CodingOptions& options, Index k) {
  return {options.lambda, std::min(k, options.code_nonzeros.value_or(k))};
}

/// Neither lambda nor the count restricts the code. Where codes are non-negative, the end of the
/// path is taken instead.
inline bool is_least_squares(const CodingOptions& options, Index k) {
  return !options.lambda && options.code_nonzeros.value_or(k) >= k && !options.positive_code;
}

/// The code of one sample: atoms in any order, no zeros.
template <class Scalar>
struct SampleCode {
  std::vector<Index> atoms;
  std::vector<Scalar> values;
  Scalar lambda = 0;

  void clear() {
    atoms.clear();
    values.clear();
    lambda = 0;
  }
};

/// Which codes are allowed.
enum class CodeSign { Any, NonNegative };

inline CodeSign code_sign(const CodingOptions& options) {
  return options.positive_code ? CodeSign::NonNegative : CodeSign::Any;
}

/// Correlations below this many units of the data's precision, relative to lambda_max, are rounding
/// errors of the data: a path ends there.
constexpr double kRounding = 64;

/// How far a code may be from the LASSO conditions, a third of what we promise (PRODUCT.md,
/// promise 1): float64 1e-6 max(lambda, 1e-6 lambda_max), float32 1e-3 lambda + 1e-5 lambda_max.
template <class Scalar>
Scalar allowed_violation(Scalar lambda, Scalar lambda_max) {
  if constexpr (std::numeric_limits<Scalar>::digits > 24) {
    return Scalar(3e-7) * std::max(lambda, Scalar(1e-6) * lambda_max);
  } else {
    return Scalar(3e-4) * lambda + Scalar(3e-6) * lambda_max;
  }
}

template <class Scalar>
Scalar largest_magnitude(const Scalar* x, Index n) {
  return n == 0 ? Scalar(0)
                : Eigen::Map<const Vector<Scalar>>(x, n).template lpNorm<Eigen::Infinity>();
}

/// max |c_j|; where codes are non-negative, max(0, c_j): the lambda from which on the code for the
/// correlations c is zero, and what must not exceed lambda at a solution.
template <class Scalar>
Scalar strongest(const Scalar* c, Index n, CodeSign sign) {
  if (sign == CodeSign::Any || n == 0) return largest_magnitude(c, n);
  return std::max(Scalar(0), Eigen::Map<const Vector<Scalar>>(c, n).maxCoeff());
}

}  // namespace nodl
