// The upper triangle from the lower one.
#pragma once

#include <algorithm>
#include <array>

#include "nodl/types.h"

namespace nodl {

/// Columns first, ..., first + count - 1 below the diagonal become rows to the right of it, as far
/// as these lie in columns from `from` on. In tiles of a cache line by a cache line: columns of a
/// large matrix lie pages apart, so what is fetched is used whole.
template <class Scalar>
void mirror_panel(Matrix<Scalar>& S, Index first, Index count, Index from) {
  constexpr Index kTile = 64 / sizeof(Scalar);
  const Index n = S.rows(), past = first + count;
  for (Index j = from; j < n; j += kTile) {
    const Index rows = std::min(kTile, n - j);
    for (Index i = first; i < std::min(past, j + rows); i += kTile) {
      const Index columns = std::min(kTile, past - i);
      if (rows == kTile && columns == kTile && i + kTile <= j) {
        std::array<Scalar, kTile * kTile> tile;
        for (Index t = 0; t < kTile; ++t) {
          const Scalar* column = &S(j, i + t);
          for (Index r = 0; r < kTile; ++r) tile[r * kTile + t] = column[r];
        }
        for (Index r = 0; r < kTile; ++r) std::copy_n(&tile[r * kTile], kTile, &S(i, j + r));
      } else {
        for (Index r = j; r < j + rows; ++r) {
          for (Index t = i; t < std::min(i + columns, r); ++t) S(t, r) = S(r, t);
        }
      }
    }
  }
}

}  // namespace nodl
