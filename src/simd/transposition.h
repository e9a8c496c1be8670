// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#include "simd/vectors.h"

namespace nodl::simd {
namespace {

/// Swaps, between vectors that are `block` apart, the lanes whose number has that bit with those
/// that have not.
template <Index kBlock, class Scalar>
inline void exchange(V<Scalar>& low, V<Scalar>& high) {
  using Places = decltype(low > low);
  constexpr Index w = Pack<Scalar>::kLanes;
  Places to_low{}, to_high{};
#pragma GCC unroll 16
  for (Index t = 0; t < w; ++t) {
    to_low[t] = (t & kBlock) == 0 ? t : w + t - kBlock;
    to_high[t] = (t & kBlock) == 0 ? t + kBlock : w + t;
  }
  const V<Scalar> a = low, b = high;
  low = __builtin_shuffle(a, b, to_low);
  high = __builtin_shuffle(a, b, to_high);
}

template <Index kBlock, class Scalar>
inline void exchange_all(V<Scalar>* rows) {
  constexpr Index w = Pack<Scalar>::kLanes;
#pragma GCC unroll 16
  for (Index t = 0; t < w; ++t) {
    if ((t & kBlock) == 0) exchange<kBlock, Scalar>(rows[t], rows[t + kBlock]);
  }
  if constexpr (kBlock > 1) exchange_all<kBlock / 2, Scalar>(rows);
}

template <class Scalar>
inline void transpose_tile(const Scalar* from, Index stride_from, Scalar* to, Index stride_to) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> tile[w];
#pragma GCC unroll 16
  for (Index t = 0; t < w; ++t) tile[t] = load(from + t * stride_from);
  exchange_all<w / 2, Scalar>(tile);
#pragma GCC unroll 16
  for (Index t = 0; t < w; ++t) store(to + t * stride_to, tile[t]);
}

/// In strips of a cache line, so that lines are written whole where columns lie pages apart.
template <class Scalar>
void transpose(
    Index m, Index n, const Scalar* from, Index stride_from, Scalar* to, Index stride_to) {
  constexpr Index w = Pack<Scalar>::kLanes, kStrip = 64 / sizeof(Scalar);
  for (Index first = 0; first < n; first += kStrip) {
    const Index past = smaller(first + kStrip, n);
    Index i = 0;
    for (; i + w <= m; i += w) {
      Index j = first;
      for (; j + w <= past; j += w) {
        transpose_tile(from + i + j * stride_from, stride_from, to + j + i * stride_to, stride_to);
      }
      for (; j < past; ++j) {
        for (Index t = i; t < i + w; ++t) to[j + t * stride_to] = from[t + j * stride_from];
      }
    }
    for (; i < m; ++i) {
      for (Index j = first; j < past; ++j) to[j + i * stride_to] = from[i + j * stride_from];
    }
  }
}

}  // namespace
}  // namespace nodl::simd
