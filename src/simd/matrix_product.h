// Matrix products. Everything here is local to the file that includes it; see kernels_body.h.
//
// Rows of the left factor are copied to where the numbers of a tile's column lie side by side, some
// at a time, and stay in the nearest caches while columns of the right factor go by. The right
// factor is read where it is, and so is the left one where it meets few columns.
#pragma once

#include "simd/transposition.h"
#include "simd/vectors.h"

namespace nodl::simd {
namespace {

// With three vectors of rows: twelve sums, three factors and one to spread, 16 registers. AVX-512
// has 32.
constexpr Index kTileColumns = NODL_SIMD_BYTES == 64 ? 8 : 4;
constexpr Index kDepth = 208;      // terms of the sums at a time: a tile's rows take 20 to 40 KiB
constexpr Index kRowsAtOnce = 48;  // arranged at a time: whole tiles in every width
constexpr Index kColumnsAtOnce = 64;  // that all these rows meet while they are in the cache
constexpr Index kFewColumns = 32;     // that do not pay for arranging rows if they are near

/// Where the right factor's numbers lie: `down` apart in a column, columns `across` apart.
template <class Scalar>
struct Columns {
  const Scalar* data;
  Index down, across;

  Columns at(Index row, Index column) const {
    return {data + row * down + column * across, down, across};
  }
};

/// C = A B (or +=, -=) of kVectors vectors of rows, kColumns columns and `depth` terms; A's columns
/// are `apart`.
template <Product kProduct, Index kVectors, Index kColumns, class Scalar>
inline void multiply_tile(Index depth,
                          const Scalar* A,
                          Index apart,
                          const Columns<Scalar>& B,
                          Scalar* C,
                          Index stride_C) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> sum[kColumns][kVectors] = {};
  if constexpr (kProduct != Product::Set) {
#pragma GCC unroll 8
    for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) sum[c][v] = load(C + c * stride_C + v * w);
    }
  }
  const Scalar* b = B.data;
  for (Index j = 0; j < depth; ++j, A += apart, b += B.down) {
    V<Scalar> a[kVectors];
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) a[v] = load(A + v * w);
#pragma GCC unroll 8
    for (Index c = 0; c < kColumns; ++c) {
      const V<Scalar> factor = spread(b[c * B.across]);
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) {
        sum[c][v] =
            kProduct == Product::Subtract ? sum[c][v] - a[v] * factor : sum[c][v] + a[v] * factor;
      }
    }
  }
#pragma GCC unroll 8
  for (Index c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (Index v = 0; v < kVectors; ++v) store(C + c * stride_C + v * w, sum[c][v]);
  }
}

/// The same for n columns: tiles of kColumns, then narrower ones.
template <Product kProduct, Index kVectors, Index kColumns = kTileColumns, class Scalar>
inline void multiply_row_of_tiles(Index n,
                                  Index depth,
                                  const Scalar* A,
                                  Index apart,
                                  const Columns<Scalar>& B,
                                  Scalar* C,
                                  Index stride_C) {
  Index c = 0;
  for (; c + kColumns <= n; c += kColumns) {
    multiply_tile<kProduct, kVectors, kColumns>(
        depth, A, apart, B.at(0, c), C + c * stride_C, stride_C);
  }
  if constexpr (kColumns > 1) {
    if (c == n) return;
    multiply_row_of_tiles<kProduct, kVectors, kColumns / 2>(
        n - c, depth, A, apart, B.at(0, c), C + c * stride_C, stride_C);
  }
}

/// The same where fewer than a vector's rows are left: in a full vector elsewhere, so that a number
/// is made as every other is and it does not matter where rows are cut.
template <Product kProduct, class Scalar>
inline void multiply_edge(Index rows,
                          Index n,
                          Index depth,
                          const Scalar* A,
                          const Columns<Scalar>& B,
                          Scalar* C,
                          Index stride_C) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Scalar tile[kTileColumns * w] __attribute__((aligned(NODL_SIMD_BYTES))) = {};
  for (Index first = 0; first < n; first += kTileColumns) {
    const Index columns = smaller(kTileColumns, n - first);
    Scalar* const at = C + first * stride_C;
    for (Index c = 0; kProduct != Product::Set && c < columns; ++c) {
      for (Index i = 0; i < rows; ++i) tile[c * w + i] = at[c * stride_C + i];
    }
    multiply_row_of_tiles<kProduct, 1>(columns, depth, A, w, B.at(0, first), tile, w);
    for (Index c = 0; c < columns; ++c) {
      for (Index i = 0; i < rows; ++i) at[c * stride_C + i] = tile[c * w + i];
    }
  }
}

/// Cuts rows into tiles of up to three vectors and calls visit<vectors>(first row) for each;
/// returns the first of those rows that do not fill a vector.
template <class Scalar, class Visit>
inline Index each_tile(Index rows, const Visit& visit) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index r = 0;
  for (; r + 3 * w <= rows; r += 3 * w) visit.template operator()<3>(r);
  for (; r + 2 * w <= rows; r += 2 * w) visit.template operator()<2>(r);
  for (; r + w <= rows; r += w) visit.template operator()<1>(r);
  return r;
}

/// Some rows of op(A), tile by tile; zeros where the last vector is not full.
template <class Scalar>
inline void arrange_rows(
    Index rows, Index depth, const Scalar* A, Index stride, bool transposed, Scalar* out) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const Index left = each_tile<Scalar>(rows, [&]<Index kVectors>(Index r) {
    Scalar* const tile = out + r * depth;
    if (transposed)
      return transpose(depth, kVectors * w, A + r * stride, stride, tile, kVectors * w);
    for (Index j = 0; j < depth; ++j) {
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) {
        store(tile + (j * kVectors + v) * w, load(A + j * stride + r + v * w));
      }
    }
  });
  if (left == rows) return;
  Scalar* const tile = out + left * depth;
  for (Index j = 0; j < depth; ++j) {
    for (Index i = 0; i < w; ++i) {
      const Index r = left + i;
      const Index at = transposed ? r * stride + j : j * stride + r;
      tile[j * w + i] = r < rows ? A[at] : Scalar(0);
    }
  }
}

template <Product kProduct, class Scalar>
inline void multiply_arranged(Index rows,
                              Index n,
                              Index depth,
                              const Scalar* A,
                              const Columns<Scalar>& B,
                              Scalar* C,
                              Index stride_C) {
  const Index left = each_tile<Scalar>(rows, [&]<Index kVectors>(Index r) {
    constexpr Index kApart = kVectors * Pack<Scalar>::kLanes;
    multiply_row_of_tiles<kProduct, kVectors>(n, depth, A + r * depth, kApart, B, C + r, stride_C);
  });
  if (left == rows) return;
  multiply_edge<kProduct>(rows - left, n, depth, A + left * depth, B, C + left, stride_C);
}

/// The same for rows that stay where they are.
template <Product kProduct, class Scalar>
inline void multiply_in_place(Index rows,
                              Index n,
                              Index depth,
                              const Scalar* A,
                              Index stride_A,
                              const Columns<Scalar>& B,
                              Scalar* C,
                              Index stride_C) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const Index left = each_tile<Scalar>(rows, [&]<Index kVectors>(Index r) {
    multiply_row_of_tiles<kProduct, kVectors>(n, depth, A + r, stride_A, B, C + r, stride_C);
  });
  if (left == rows) return;
  Scalar arranged[kDepth * w] __attribute__((aligned(NODL_SIMD_BYTES)));
  arrange_rows(rows - left, depth, A + left, stride_A, false, arranged);
  multiply_edge<kProduct>(rows - left, n, depth, arranged, B, C + left, stride_C);
}

/// The same for all rows and columns.
template <Product kProduct, class Scalar>
void multiply_terms(Index m,
                    Index n,
                    Index depth,
                    const Factor<Scalar>& A,
                    const Columns<Scalar>& B,
                    Scalar* C,
                    Index stride_C) {
  if (!A.transposed && n <= kFewColumns && columns_are_near<Scalar>(A.stride)) {
    return multiply_in_place<kProduct>(m, n, depth, A.data, A.stride, B, C, stride_C);
  }
  Scalar arranged[kDepth * kRowsAtOnce] __attribute__((aligned(NODL_SIMD_BYTES)));
  for (Index r = 0; r < m; r += kRowsAtOnce) {
    const Index rows = smaller(kRowsAtOnce, m - r);
    const Scalar* a = A.data + (A.transposed ? r * A.stride : r);
    arrange_rows(rows, depth, a, A.stride, A.transposed, arranged);
    for (Index c = 0; c < n; c += kColumnsAtOnce) {
      multiply_arranged<kProduct>(rows,
                                  smaller(kColumnsAtOnce, n - c),
                                  depth,
                                  arranged,
                                  B.at(0, c),
                                  C + c * stride_C + r,
                                  stride_C);
    }
  }
}

/// Each number of C is one chain of sums in the order of A's columns.
template <class Scalar>
void multiply_matrices(Product product,
                       Index m,
                       Index n,
                       Index depth,
                       const Factor<Scalar>& A,
                       const Factor<Scalar>& B,
                       Scalar* C,
                       Index stride_C) {
  const Columns<Scalar> columns = {
      B.data, B.transposed ? B.stride : 1, B.transposed ? 1 : B.stride};
  const Index blocks = (depth + kDepth - 1) / kDepth;
  for (Index block = 0, first = 0; block < blocks; ++block) {
    const Index terms = (depth - first) / (blocks - block);
    const bool sets = product == Product::Set && first == 0;
    const auto multiply = product == Product::Subtract ? multiply_terms<Product::Subtract, Scalar>
                          : sets                       ? multiply_terms<Product::Set, Scalar>
                                                       : multiply_terms<Product::Add, Scalar>;
    const Factor<Scalar> some = {
        A.data + (A.transposed ? first : first * A.stride), A.stride, A.transposed};
    multiply(m, n, terms, some, columns.at(first, 0), C, stride_C);
    first += terms;
  }
  for (Index c = 0; depth == 0 && product == Product::Set && c < n; ++c) {
    for (Index r = 0; r < m; ++r) C[c * stride_C + r] = 0;
  }
}

}  // namespace
}  // namespace nodl::simd
