// Vectors of NODL_SIMD_BYTES bytes and what is done with their lanes.
// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "simd/kernels.h"

namespace nodl::simd {
namespace {

template <class Scalar>
struct Pack {
  typedef Scalar type __attribute__((vector_size(NODL_SIMD_BYTES)));
  static constexpr Index kLanes = NODL_SIMD_BYTES / sizeof(Scalar);
};

template <class Scalar>
using V = typename Pack<Scalar>::type;

template <class Scalar>
inline V<Scalar> load(const Scalar* p) {
  V<Scalar> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Scalar>
inline void store(Scalar* p, V<Scalar> v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class Scalar>
inline V<Scalar> spread(Scalar x) {
  return x - V<Scalar>{};
}
template <class Scalar>
inline Scalar magnitude(Scalar x) {
  return x < 0 ? -x : x;
}
/// |x| of every lane, by its bits: x > -x ? x : -x would be four instructions.
template <class Scalar>
inline V<Scalar> magnitudes(V<Scalar> x) {
  using Bits = decltype(x > x);
  const V<Scalar> sign = spread(Scalar(-0.0));
  return (V<Scalar>)((Bits)x & ~(Bits)sign);
}
template <class T>
inline T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
inline T smaller(T a, T b) {
  return a < b ? a : b;
}

/// Bit t is set where lane t of a is above that of b.
template <class Scalar>
inline unsigned lanes_above(V<Scalar> a, V<Scalar> b) {
#if NODL_SIMD_BYTES == 32
  if constexpr (sizeof(Scalar) == 4) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
  } else {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)));
  }
#elif defined(__SSE2__)
  if constexpr (sizeof(Scalar) == 4) {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpgt_ps(a, b)));
  } else {
    return static_cast<unsigned>(_mm_movemask_pd(_mm_cmpgt_pd(a, b)));
  }
#else
  unsigned bits = 0;
  for (Index t = 0; t < Pack<Scalar>::kLanes; ++t) bits |= (a[t] > b[t] ? 1U : 0U) << t;
  return bits;
#endif
}

/// The lanes folded onto one another, half by half, by fold(a, b).
template <class Scalar, class Fold>
inline Scalar folded(V<Scalar> v, const Fold& fold) {
  using Places = decltype(v > v);
  constexpr Index w = Pack<Scalar>::kLanes;
  if constexpr (w == 8) {
    v = fold(v, __builtin_shuffle(v, Places{4, 5, 6, 7, 0, 1, 2, 3}));
    v = fold(v, __builtin_shuffle(v, Places{2, 3, 0, 1, 6, 7, 4, 5}));
    v = fold(v, __builtin_shuffle(v, Places{1, 0, 3, 2, 5, 4, 7, 6}));
  } else if constexpr (w == 4) {
    v = fold(v, __builtin_shuffle(v, Places{2, 3, 0, 1}));
    v = fold(v, __builtin_shuffle(v, Places{1, 0, 3, 2}));
  } else {
    v = fold(v, __builtin_shuffle(v, Places{1, 0}));
  }
  return v[0];
}

template <class Scalar>
inline Scalar largest_lane(V<Scalar> v) {
  return folded<Scalar>(v, [](V<Scalar> a, V<Scalar> b) { return larger(a, b); });
}

template <class Scalar>
inline Scalar sum_lanes(V<Scalar> v) {
  return folded<Scalar>(v, [](V<Scalar> a, V<Scalar> b) { return a + b; });
}

}  // namespace
}  // namespace nodl::simd
