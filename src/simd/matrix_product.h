// Matrix products for short columns, where BLAS spends much on bringing its operands into order.
// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#include "simd/products.h"
#include "simd/transposition.h"
#include "simd/vectors.h"

namespace nodl::simd {
namespace {

constexpr Index kTileVectors = 3;  // rows of a tile, in vectors
constexpr Index kTileColumns = 4;  // twelve sums, three factors and one to spread: 16 registers
constexpr Index kDepth = 128;      // columns of D at a time: with kTileVectors, 12 KiB
constexpr Index kLength = 192;     // numbers of a sample at a time: 18 KiB

enum class Product { Subtract, Add, Set };

/// R -= D A (or +=, or =), where R has kVectors vectors of rows and kColumns columns; those of D
/// are kVectors vectors apart.
template <Product kProduct, Index kVectors, Index kColumns, class Scalar>
inline void multiply_tile(
    Index depth, const Scalar* D, const Scalar* A, Index stride_A, Scalar* R, Index stride_R) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> sum[kColumns][kVectors] = {};
  if constexpr (kProduct != Product::Set) {
#pragma GCC unroll 4
    for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) sum[c][v] = load(R + c * stride_R + v * w);
    }
  }
  for (Index j = 0; j < depth; ++j) {
    V<Scalar> d[kVectors];
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) d[v] = load(D + (j * kVectors + v) * w);
#pragma GCC unroll 4
    for (Index c = 0; c < kColumns; ++c) {
      const V<Scalar> a = spread(A[c * stride_A + j]);
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) {
        sum[c][v] = kProduct == Product::Subtract ? sum[c][v] - d[v] * a : sum[c][v] + d[v] * a;
      }
    }
  }
#pragma GCC unroll 4
  for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) store(R + c * stride_R + v * w, sum[c][v]);
  }
}

/// The same for n columns.
template <Product kProduct, Index kVectors, class Scalar>
inline void multiply_row_of_tiles(Index n,
                                  Index depth,
                                  const Scalar* D,
                                  const Scalar* A,
                                  Index stride_A,
                                  Scalar* R,
                                  Index stride_R) {
  Index c = 0;
  for (; c + kTileColumns <= n; c += kTileColumns) {
    multiply_tile<kProduct, kVectors, kTileColumns>(
        depth, D, A + c * stride_A, stride_A, R + c * stride_R, stride_R);
  }
  for (; c < n; ++c) {
    multiply_tile<kProduct, kVectors, 1>(
        depth, D, A + c * stride_A, stride_A, R + c * stride_R, stride_R);
  }
}

/// After copying D's rows to where they lie side by side.
template <Index kVectors, class Scalar>
inline void subtract_row_of_tiles(Index n,
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
  multiply_row_of_tiles<Product::Subtract, kVectors>(n, depth, rows, A, stride_A, R, stride_R);
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
      subtract_row_of_tiles<kTileVectors>(n, some, d + r, stride_D, a, stride_A, R + r, stride_R);
    }
    for (; r + w <= m; r += w) {
      subtract_row_of_tiles<1>(n, some, d + r, stride_D, a, stride_A, R + r, stride_R);
    }
    for (Index c = 0; r < m && c < n; ++c) {
      for (Index j = 0; j < some; ++j) {
        const Scalar factor = a[c * stride_A + j];
        for (Index i = r; i < m; ++i) R[c * stride_R + i] -= d[j * stride_D + i] * factor;
      }
    }
  }
}

/// Adds to the P'Q of n columns of Q what `length` numbers of each contribute; `rows` are those of
/// P, tile by tile.
template <Product kProduct, class Scalar>
inline void correlate_block(Index count,
                            Index n,
                            Index length,
                            const Scalar* rows,
                            const Scalar* Q,
                            Index stride_Q,
                            Scalar* out,
                            Index stride_out) {
  constexpr Index w = Pack<Scalar>::kLanes, kTile = kTileVectors * w;
  Index r = 0;
  for (; r + kTile <= count; r += kTile) {
    multiply_row_of_tiles<kProduct, kTileVectors>(
        n, length, rows + r * length, Q, stride_Q, out + r, stride_out);
  }
  for (; r + w <= count; r += w) {
    multiply_row_of_tiles<kProduct, 1>(
        n, length, rows + r * length, Q, stride_Q, out + r, stride_out);
  }
}

template <class Scalar>
void correlate(Index count,
               Index n,
               Index m,
               const Scalar* P,
               Index stride_P,
               const Scalar* Q,
               Index stride_Q,
               Scalar* out,
               Index stride_out) {
  constexpr Index w = Pack<Scalar>::kLanes, kTile = kTileVectors * w;
  constexpr Index kColumns = 64;  // of Q, which all tiles meet while they are in the cache
  Scalar rows[kLength * kMostCorrelated] __attribute__((aligned(NODL_SIMD_BYTES)));
  const Index whole = count / w * w;
  for (Index first = 0; whole > 0 && first < m; first += kLength) {
    const Index length = smaller(kLength, m - first);
    for (Index r = 0; r < whole;) {
      const Index some = r + kTile <= whole ? kTile : w;
      transpose(length, some, P + first + r * stride_P, stride_P, rows + r * length, some);
      r += some;
    }
    for (Index c = 0; c < n; c += kColumns) {
      const auto add = first == 0 ? correlate_block<Product::Set, Scalar>
                                  : correlate_block<Product::Add, Scalar>;
      add(whole,
          smaller(kColumns, n - c),
          length,
          rows,
          Q + first + c * stride_Q,
          stride_Q,
          out + c * stride_out,
          stride_out);
    }
  }
  for (Index r = whole; r < count; ++r) {
    for (Index c = 0; c < n; ++c) {
      out[r + c * stride_out] = dot(P + r * stride_P, Q + c * stride_Q, m);
    }
  }
}

}  // namespace
}  // namespace nodl::simd
