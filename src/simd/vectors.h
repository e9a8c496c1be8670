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
/// The first `count` numbers at p, and zeros.
template <class Scalar>
inline V<Scalar> load_first(const Scalar* p, Index count) {
#if NODL_SIMD_BYTES == 64
  if constexpr (sizeof(Scalar) == 4) {
    return (V<Scalar>)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), p);
  } else {
    return (V<Scalar>)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), p);
  }
#else
  V<Scalar> v{};
  for (Index t = 0; t < count; ++t) v[t] = p[t];
  return v;
#endif
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
#if NODL_SIMD_BYTES == 64
  if constexpr (sizeof(Scalar) == 4) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
  } else {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
  }
#elif NODL_SIMD_BYTES == 32
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

/// Cuts n numbers into blocks of eight and fewer vectors of kLanes and calls visit<vectors>(first)
/// for each; returns the first of those that do not fill a vector.
template <Index kLanes, class Visit>
inline Index each_block(Index n, const Visit& visit) {
  Index i = 0;
  for (; i + 8 * kLanes <= n; i += 8 * kLanes) visit.template operator()<8>(i);
  if (i + 4 * kLanes <= n) {
    visit.template operator()<4>(i);
    i += 4 * kLanes;
  }
  if (i + 2 * kLanes <= n) {
    visit.template operator()<2>(i);
    i += 2 * kLanes;
  }
  if (i + kLanes <= n) {
    visit.template operator()<1>(i);
    i += kLanes;
  }
  return i;
}

/// The lanes folded onto one another, half by half, by fold(a, b).
template <class Scalar, class Fold>
inline Scalar folded(V<Scalar> v, const Fold& fold) {
  using Places = decltype(v > v);
  constexpr Index w = Pack<Scalar>::kLanes;
  if constexpr (w == 16) {
    v = fold(v, __builtin_shuffle(v, Places{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}));
    v = fold(v, __builtin_shuffle(v, Places{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}));
    v = fold(v, __builtin_shuffle(v, Places{2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13}));
    v = fold(v, __builtin_shuffle(v, Places{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}));
  } else if constexpr (w == 8) {
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
