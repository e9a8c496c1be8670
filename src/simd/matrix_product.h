// A matrix product for short columns, where BLAS spends more on bringing its operands into order
// than on the product.
// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#include "simd/vectors.h"

namespace nodl::simd {
namespace {

constexpr Index kTileVectors = 3;  // rows of a tile, in vectors
constexpr Index kTileColumns = 4;  // twelve sums, three factors and one to spread: 16 registers
constexpr Index kDepth = 128;      // columns of D at a time: with kTileVectors, 12 KiB

/// R -= D A, where R has kVectors vectors of rows and kColumns columns; those of D are kVectors
/// vectors apart.
template <Index kVectors, Index kColumns, class Scalar>
inline void subtract_tile(
    Index depth, const Scalar* D, const Scalar* A, Index stride_A, Scalar* R, Index stride_R) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> sum[kColumns][kVectors];
#pragma GCC unroll 4
  for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) sum[c][v] = load(R + c * stride_R + v * w);
  }
  for (Index j = 0; j < depth; ++j) {
    V<Scalar> d[kVectors];
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) d[v] = load(D + (j * kVectors + v) * w);
#pragma GCC unroll 4
    for (Index c = 0; c < kColumns; ++c) {
      const V<Scalar> a = spread(A[c * stride_A + j]);
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) sum[c][v] -= d[v] * a;
    }
  }
#pragma GCC unroll 4
  for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) store(R + c * stride_R + v * w, sum[c][v]);
  }
}

/// The same for n columns, after copying D's rows to where they lie side by side.
template <Index kVectors, class Scalar>
inline void subtract_rows_of_tiles(Index n,
                                   Index depth,
                                   const Scalar* D,
                                   Index stride_D,
                                   const Scalar* A,
                                   Index stride_A,
                                   Scalar* R,
                                   Index stride_R) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Scalar rows[kDepth * kVectors * w] __attribute__((aligned(NODL_SIMD_BYTES)));
  for (Index j = 0; j < depth; ++j) {
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) {
      store(rows + (j * kVectors + v) * w, load(D + j * stride_D + v * w));
    }
  }
  Index c = 0;
  for (; c + kTileColumns <= n; c += kTileColumns) {
    subtract_tile<kVectors, kTileColumns>(
        depth, rows, A + c * stride_A, stride_A, R + c * stride_R, stride_R);
  }
  for (; c < n; ++c) {
    subtract_tile<kVectors, 1>(depth, rows, A + c * stride_A, stride_A, R + c * stride_R, stride_R);
  }
}

/// Each number of R is one chain of subtractions in the order of D's columns, so how rows and
/// columns are cut never changes it.
template <class Scalar>
void subtract_product(Index m,
                      Index n,
                      Index depth,
                      const Scalar* D,
                      Index stride_D,
                      const Scalar* A,
                      Index stride_A,
                      Scalar* R,
                      Index stride_R) {
  constexpr Index w = Pack<Scalar>::kLanes;
  for (Index first = 0; first < depth; first += kDepth) {
    const Index some = smaller(kDepth, depth - first);
    const Scalar* d = D + first * stride_D;
    const Scalar* a = A + first;
    Index r = 0;
    for (; r + kTileVectors * w <= m; r += kTileVectors * w) {
      subtract_rows_of_tiles<kTileVectors>(n, some, d + r, stride_D, a, stride_A, R + r, stride_R);
    }
    for (; r + w <= m; r += w) {
      subtract_rows_of_tiles<1>(n, some, d + r, stride_D, a, stride_A, R + r, stride_R);
    }
    for (Index c = 0; r < m && c < n; ++c) {
      for (Index j = 0; j < some; ++j) {
        const Scalar factor = a[c * stride_A + j];
        for (Index i = r; i < m; ++i) R[c * stride_R + i] -= d[j * stride_D + i] * factor;
      }
    }
  }
}

}  // namespace
}  // namespace nodl::simd
