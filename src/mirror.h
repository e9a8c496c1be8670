// The upper triangle from the lower one, in tiles that stay in the cache.
#pragma once

#include <algorithm>

#include "nodl/types.h"

namespace nodl {

/// Columns first, ..., first + count - 1 below the diagonal become rows to the right of it.
template <class Scalar>
void mirror_panel(Matrix<Scalar>& S, Index first, Index count) {
  constexpr Index kTile = 8;  // columns; far apart in memory, so few at a time
  const Index n = S.rows(), past = first + count;
  for (Index i = first; i < past; i += kTile) {
    const Index stop = std::min(past, i + kTile);
    for (Index j = i + 1; j < n; ++j) {
      Scalar* row = S.col(j).data();
      for (Index t = i; t < std::min(stop, j); ++t) row[t] = S(j, t);
    }
  }
}

}  // namespace nodl
