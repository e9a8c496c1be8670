// The upper triangle from the lower one.
#pragma once

#include <algorithm>

#include "nodl/types.h"
#include "simd/kernels.h"

namespace nodl {

/// Columns first, ..., first + count - 1 below the diagonal become rows to the right of it, as far
/// as these lie in columns from `from` on.
template <class Scalar>
void mirror_panel(Matrix<Scalar>& S, Index first, Index count, Index from) {
  const Index n = S.rows(), past = first + count, below = std::max(from, past);
  for (Index r = from; r < past; ++r) {
    for (Index t = first; t < r; ++t) S(t, r) = S(r, t);
  }
  if (below == n || count == 0) return;
  simd::kernels<Scalar>().transpose(n - below, count, &S(below, first), n, &S(first, below), n);
}

}  // namespace nodl
