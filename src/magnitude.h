// Which numbers can be squared, summed up over endless streams and divided again.
#pragma once

#include "nodl/batch.h"

namespace nodl {

constexpr double kLargestNumber = 1e140;
/// A sum of squares below this has lost digits to underflow: it counts as nothing.
constexpr double kSmallestSquare = 1e-280;

/// Throws DataError if a number of the batch is larger. Those of float32 never are.
template <class Scalar>
void require_squarable(const Batch<Scalar>& batch);

}  // namespace nodl
