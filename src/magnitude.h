// Which numbers can be squared, summed up over endless streams and divided again; and what is left
// of a sample whose mean was taken out.
#pragma once

#include <limits>
#include <vector>

#include "nodl/batch.h"
#include "nodl/thread_pool.h"

namespace nodl {

constexpr double kLargestNumber = 1e140;
/// A sum of squares below this has lost digits to underflow: it counts as nothing.
constexpr double kSmallestSquare = 1e-280;

/// Throws DataError if a number of the batch is larger, or not finite.
template <class Scalar>
void require_squarable(const Batch<Scalar>& batch);
template <class Scalar>
void require_squarable(const Batch<Scalar>& batch, ThreadPool& pool);

/// True if |x - mean(x)|^2 = `deviation` beside |x|^2 = `square` is what rounding leaves of a
/// constant x.
inline bool is_rounding(double deviation, double square) {
  constexpr double kUnits = 64 * std::numeric_limits<double>::epsilon();
  return deviation <= kUnits * kUnits * square || deviation < kSmallestSquare;
}

/// The samples, in rising order, that are nothing but their mean.
template <class Scalar>
std::vector<Index> constant_samples(const Batch<Scalar>& batch);

}  // namespace nodl
