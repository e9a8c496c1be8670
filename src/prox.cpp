#include "nodl/prox.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "nodl/error.h"
#include "simd/kernels.h"

namespace nodl {
namespace {

constexpr Index kFew = 48;  // values that are counted faster than they are sorted out

/// By halves, so that rounding grows with log n: norms are trusted to 4 epsilon.
template <class Scalar>
double square_of(std::span<const Scalar> v) {
  constexpr std::size_t kAtOnce = 512;
  if (v.size() <= kAtOnce) {
    return simd::kernels<Scalar>().square(v.data(), static_cast<Index>(v.size()));
  }
  const std::size_t half = v.size() / 2;
  return square_of<Scalar>(v.first(half)) + square_of<Scalar>(v.subspan(half));
}

template <class Scalar>
double norm_of(std::span<const Scalar> v) {
  return std::sqrt(square_of<Scalar>(v));
}

void require_count(Index beta) {
  if (beta >= 0) return;
  throw InvalidOptions("count is " + std::to_string(beta) + ", must be at least 0");
}

}  // namespace

template <class Scalar>
void soft_threshold(std::span<Scalar> u, Scalar lambda) {  // Alg.1 step 15
  for (Scalar& value : u) {
    const Scalar shrunk = std::abs(value) - lambda;
    value = shrunk > 0 ? std::copysign(shrunk, value) : Scalar(0);
  }
}

template <class Scalar>
void group_shrink(std::span<Scalar> v, Scalar lambda) {  // Alg.1 step 16
  const double norm = norm_of<Scalar>(v);
  if (norm <= lambda) {
    std::fill(v.begin(), v.end(), Scalar(0));
    return;
  }
  const Scalar factor = static_cast<Scalar>(1 - lambda / norm);
  for (Scalar& value : v) value *= factor;
}

template <class Scalar>
Scalar ball_scale(std::span<const Scalar> w) {
  const double norm = norm_of<Scalar>(w);
  return norm <= 1 ? Scalar(1) : static_cast<Scalar>(1 / norm);
}

template <class Scalar>
void project_to_ball(std::span<Scalar> w) {  // Alg.1 step 17
  const Scalar scale = ball_scale<Scalar>(w);
  if (scale == 1) return;
  for (Scalar& value : w) value *= scale;
}

template <class Scalar>
Scalar threshold_by_bisection(std::span<const Scalar> u,
                              Index beta,
                              const BisectionOptions& options) {
  require_count(beta);
  // Alg.2 line 1. Only values inside the interval can change a count, so the others leave `inside`
  // as it shrinks; what lies above it is counted.
  static thread_local std::vector<Scalar> inside;  // kept from call to call
  const auto& simd = simd::kernels<Scalar>();
  inside.resize(u.size());
  Index left = 0;
  Scalar high = 0;
  for (const Scalar value : u) {
    const Scalar size = std::abs(value);
    inside[left] = size;
    left += size != 0;
    high = std::max(high, size);  // Alg.2 line 3
  }
  if (left <= beta) return 0;
  Scalar low = 0;  // Alg.2 line 2
  const double margin = options.count_tolerance > 0
                            ? std::max(1.0, options.count_tolerance * static_cast<double>(beta))
                            : 0.0;
  Index above = 0;  // values that left upwards
  while (true) {
    const Scalar middle = (low + high) / 2;                                     // Alg.2 line 5
    const Index count = above + simd.count_above(inside.data(), left, middle);  // Alg.2 line 6
    const bool narrow = (high - low) / high < options.tolerance || middle == low || middle == high;
    if (narrow || std::abs(static_cast<double>(count - beta)) <= margin) return middle;  // line 7
    const bool raise = count > beta;
    if (raise) {  // Alg.2 lines 10-11
      low = middle;
    } else {  // Alg.2 lines 12-13
      high = middle;
    }
    if (left <= kFew) continue;
    if (!raise) above = count;
    Index kept = 0;
    for (Index i = 0; i < left; ++i) {
      const Scalar value = inside[i];
      inside[kept] = value;
      kept += (value > middle) == raise;
    }
    left = kept;
  }
}

template <class Scalar>
Scalar threshold_by_selection(std::span<const Scalar> u, Index beta) {
  require_count(beta);
  const Index n = static_cast<Index>(u.size());
  if (beta >= n) return 0;
  std::vector<Scalar> magnitude(u.size());
  std::transform(u.begin(), u.end(), magnitude.begin(), [](Scalar v) { return std::abs(v); });
  std::nth_element(
      magnitude.begin(), magnitude.begin() + beta, magnitude.end(), std::greater<Scalar>());
  const Scalar next = magnitude[beta];  // the (beta+1)-th largest
  const Index above = std::count_if(
      magnitude.begin(), magnitude.begin() + beta, [&](Scalar v) { return v > next; });
  if (above == beta) return next;
  Scalar smaller = 0;  // the largest value below the tie
  for (auto v = magnitude.begin() + beta; v != magnitude.end(); ++v) {
    if (*v < next) smaller = std::max(smaller, *v);
  }
  return smaller;
}

template void soft_threshold<double>(std::span<double>, double);
template void soft_threshold<float>(std::span<float>, float);
template void group_shrink<double>(std::span<double>, double);
template void group_shrink<float>(std::span<float>, float);
template double ball_scale<double>(std::span<const double>);
template float ball_scale<float>(std::span<const float>);
template void project_to_ball<double>(std::span<double>);
template void project_to_ball<float>(std::span<float>);
template double threshold_by_bisection<double>(std::span<const double>,
                                               Index,
                                               const BisectionOptions&);
template float threshold_by_bisection<float>(std::span<const float>,
                                             Index,
                                             const BisectionOptions&);
template double threshold_by_selection<double>(std::span<const double>, Index);
template float threshold_by_selection<float>(std::span<const float>, Index);

}  // namespace nodl
