// The loops of kernels.h for vectors of NODL_SIMD_BYTES bytes. Everything here is local to the file
// that includes it and calls no inline function of another header: the linker must never take code
// that was compiled for a newer processor into the rest of the program.
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
#if defined(__AVX512F__)
  if constexpr (sizeof(Scalar) == 4) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
  } else {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
  }
#elif defined(__AVX2__)
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

template <class Scalar>
inline Scalar largest_lane(V<Scalar> v) {
  Scalar most = v[0];
  for (Index t = 1; t < Pack<Scalar>::kLanes; ++t) most = larger(most, v[t]);
  return most;
}

template <class Scalar>
Scalar largest(const Scalar* c, Index n) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> most{}, more{};
  Index i = 0;
  for (; i + 2 * w <= n; i += 2 * w) {
    const V<Scalar> x = load(c + i), y = load(c + i + w);
    most = larger(most, larger(x, -x));
    more = larger(more, larger(y, -y));
  }
  most = larger(most, more);
  Scalar result = largest_lane<Scalar>(most);
  for (; i < n; ++i) result = larger(result, magnitude(c[i]));
  return result;
}

template <class Scalar>
inline Index find_top(const Scalar* c, const Scalar* bound, Index n, Scalar top) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> height = spread(top);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(c + i);
    const unsigned below = lanes_above<Scalar>(height, larger(x, -x) - load(bound + i));
    if (below != (1U << w) - 1) return i + __builtin_ctz(~below);
  }
  for (; i < n; ++i) {
    if (magnitude(c[i]) - bound[i] == top) return i;
  }
  return -1;
}

template <class Scalar>
Index strongest(const Scalar* c, const Scalar* bound, Index n, Scalar least) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> most = spread(least);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(c + i);
    most = larger(most, larger(x, -x) - load(bound + i));
  }
  Scalar top = larger(least, largest_lane<Scalar>(most));
  for (; i < n; ++i) top = larger(top, magnitude(c[i]) - bound[i]);
  return top > least ? find_top(c, bound, n, top) : -1;
}

template <class Scalar>
Index advance(Index n, Scalar a, const Scalar* x, Scalar* c, const Scalar* bound, Scalar least) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> factor = spread(a);
  V<Scalar> most = spread(least);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> y = load(c + i) + factor * load(x + i);
    store(c + i, y);
    most = larger(most, larger(y, -y) - load(bound + i));
  }
  Scalar top = larger(least, largest_lane<Scalar>(most));
  for (; i < n; ++i) {
    c[i] += a * x[i];
    top = larger(top, magnitude(c[i]) - bound[i]);
  }
  return top > least ? find_top(c, bound, n, top) : -1;
}

template <class Scalar>
Index count_above(const Scalar* c, Index n, Scalar limit) {
  constexpr Index w = Pack<Scalar>::kLanes;
  decltype(V<Scalar>{} > V<Scalar>{}) count{};
  const V<Scalar> bound = spread(limit);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(c + i);
    count -= larger(x, -x) > bound;  // true is -1
  }
  Index result = 0;
  for (Index t = 0; t < w; ++t) result += count[t];
  for (; i < n; ++i) result += magnitude(c[i]) > limit;
  return result;
}

template <class Scalar>
Index above(const Scalar* c, Index n, Scalar limit, RowIndex* out, Index room) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> bound = spread(limit);
  Index found = 0, i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(c + i);
    for (unsigned bits = lanes_above<Scalar>(larger(x, -x), bound); bits != 0; bits &= bits - 1) {
      if (found == room) return found;
      out[found++] = static_cast<RowIndex>(i + __builtin_ctz(bits));
    }
  }
  for (; i < n; ++i) {
    if (!(magnitude(c[i]) > limit)) continue;
    if (found == room) return found;
    out[found++] = static_cast<RowIndex>(i);
  }
  return found;
}

template <class Scalar>
Scalar dot(const Scalar* x, const Scalar* y, Index n) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> a{}, b{}, c{}, d{};
  Index i = 0;
  for (; i + 4 * w <= n; i += 4 * w) {
    a += load(x + i) * load(y + i);
    b += load(x + i + w) * load(y + i + w);
    c += load(x + i + 2 * w) * load(y + i + 2 * w);
    d += load(x + i + 3 * w) * load(y + i + 3 * w);
  }
  for (; i + w <= n; i += w) a += load(x + i) * load(y + i);
  a = (a + b) + (c + d);
  Scalar sum = 0;
  for (Index t = 0; t < w; ++t) sum += a[t];
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

template <class Scalar>
void axpy(Index n, Scalar a, const Scalar* x, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) store(y + i, load(y + i) + factor * load(x + i));
  for (; i < n; ++i) y[i] += a * x[i];
}

inline void axpy_double(Index n, double a, const double* x, double* y) { axpy(n, a, x, y); }
inline void axpy_double(Index n, double a, const float* x, double* y) {
  typedef float Half __attribute__((vector_size(NODL_SIMD_BYTES / 2)));
  constexpr Index w = Pack<double>::kLanes;
  const V<double> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) {
    Half half;
    __builtin_memcpy(&half, x + i, sizeof half);
    store(y + i, load(y + i) + factor * __builtin_convertvector(half, V<double>));
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

template <class Scalar>
void gather(const Scalar* x, const RowIndex* index, Index n, Scalar* out) {
  for (Index i = 0; i < n; ++i) out[i] = x[index[i]];
}

/// `Blocks` vectors of y stay in registers while the rows go by, in `Chains` sums each: enough
/// independent additions to keep the processor busy.
template <int Blocks, int Chains, class Scalar>
inline void subtract_rows_block(Index count,
                                const Scalar* rows,
                                Index stride,
                                const Scalar* x,
                                Scalar scale,
                                const Scalar* g,
                                Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> sum[Chains][Blocks];
#pragma GCC unroll 8
  for (int b = 0; b < Blocks; ++b) {
    sum[0][b] = load(g + b * w);
#pragma GCC unroll 4
    for (int c = 1; c < Chains; ++c) sum[c][b] = V<Scalar>{};
  }
  Index i = 0;
  for (; i + Chains <= count; i += Chains) {
#pragma GCC unroll 4
    for (int c = 0; c < Chains; ++c) {
      const V<Scalar> factor = spread(x[i + c]);
      const Scalar* row = rows + (i + c) * stride;
#pragma GCC unroll 8
      for (int b = 0; b < Blocks; ++b) sum[c][b] -= factor * load(row + b * w);
    }
  }
  for (; i < count; ++i) {
    const V<Scalar> factor = spread(x[i]);
    const Scalar* row = rows + i * stride;
#pragma GCC unroll 8
    for (int b = 0; b < Blocks; ++b) sum[0][b] -= factor * load(row + b * w);
  }
  const V<Scalar> factor = spread(scale);
#pragma GCC unroll 8
  for (int b = 0; b < Blocks; ++b) {
#pragma GCC unroll 4
    for (int c = 1; c < Chains; ++c) sum[0][b] += sum[c][b];
    store(y + b * w, factor * sum[0][b]);
  }
}

template <class Scalar>
void subtract_rows(Index n,
                   Index count,
                   const Scalar* rows,
                   Index stride,
                   const Scalar* x,
                   Scalar scale,
                   const Scalar* g,
                   Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index i = 0;
  for (; i + 8 * w <= n; i += 8 * w)
    subtract_rows_block<8, 1>(count, rows + i, stride, x, scale, g + i, y + i);
  for (; i + 4 * w <= n; i += 4 * w)
    subtract_rows_block<4, 2>(count, rows + i, stride, x, scale, g + i, y + i);
  for (; i + 2 * w <= n; i += 2 * w)
    subtract_rows_block<2, 4>(count, rows + i, stride, x, scale, g + i, y + i);
  for (; i + w <= n; i += w)
    subtract_rows_block<1, 4>(count, rows + i, stride, x, scale, g + i, y + i);
  for (; i < n; ++i) {
    Scalar sum = g[i];
    for (Index t = 0; t < count; ++t) sum -= x[t] * rows[t * stride + i];
    y[i] = scale * sum;
  }
}

template <int Blocks, class Scalar>
inline void combine_block(
    Index count, const Scalar* const* columns, const Scalar* x, Index from, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> sum[Blocks] = {};
  for (Index i = 0; i < count; ++i) {
    const V<Scalar> factor = spread(x[i]);
    const Scalar* column = columns[i] + from;
#pragma GCC unroll 8
    for (int b = 0; b < Blocks; ++b) sum[b] += factor * load(column + b * w);
  }
#pragma GCC unroll 8
  for (int b = 0; b < Blocks; ++b) store(y + from + b * w, sum[b]);
}

template <class Scalar>
void combine(Index n, Index count, const Scalar* const* columns, const Scalar* x, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index i = 0;
  for (; i + 8 * w <= n; i += 8 * w) combine_block<8>(count, columns, x, i, y);
  for (; i + 2 * w <= n; i += 2 * w) combine_block<2>(count, columns, x, i, y);
  for (; i < n; ++i) {
    Scalar sum = 0;
    for (Index t = 0; t < count; ++t) sum += x[t] * columns[t][i];
    y[i] = sum;
  }
}

/// Four rows at a time: their products with what is solved already are independent.
template <class Scalar>
void solve_lower(Index p, const Scalar* L, Index stride, Scalar* x) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index i = 0;
  for (; i + 4 <= p; i += 4) {
    const Scalar* l[4] = {
        L + i * stride, L + (i + 1) * stride, L + (i + 2) * stride, L + (i + 3) * stride};
    V<Scalar> sum[4] = {};
    Index t = 0;
    for (; t + w <= i; t += w) {
      const V<Scalar> known = load(x + t);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) sum[r] += load(l[r] + t) * known;
    }
    Scalar dots[4];
    for (int r = 0; r < 4; ++r) {
      dots[r] = sum[r][0];
      for (Index lane = 1; lane < w; ++lane) dots[r] += sum[r][lane];
    }
    for (; t < i; ++t) {
      for (int r = 0; r < 4; ++r) dots[r] += l[r][t] * x[t];
    }
    for (int r = 0; r < 4; ++r) {
      Scalar value = x[i + r] - dots[r];
      for (int c = 0; c < r; ++c) value -= l[r][i + c] * x[i + c];
      x[i + r] = value / l[r][i + r];
    }
  }
  for (; i < p; ++i) {
    const Scalar* l = L + i * stride;
    x[i] = (x[i] - dot(l, x, i)) / l[i];
  }
}

template <class Scalar>
void solve_upper(Index p, const Scalar* L, Index stride, Scalar* x) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index i = p;
  for (; i >= 4; i -= 4) {
    const Scalar* l[4] = {
        L + (i - 4) * stride, L + (i - 3) * stride, L + (i - 2) * stride, L + (i - 1) * stride};
    Scalar* y = x + i - 4;
    for (int r = 3; r >= 0; --r) {
      y[r] /= l[r][i - 4 + r];
      for (int c = 0; c < r; ++c) y[c] -= y[r] * l[r][i - 4 + c];
    }
    const V<Scalar> a = spread(y[0]), b = spread(y[1]), c = spread(y[2]), d = spread(y[3]);
    Index t = 0;
    for (; t + w <= i - 4; t += w) {
      const V<Scalar> one = a * load(l[0] + t) + b * load(l[1] + t);
      const V<Scalar> two = c * load(l[2] + t) + d * load(l[3] + t);
      store(x + t, load(x + t) - (one + two));
    }
    for (; t < i - 4; ++t) {
      x[t] -= (y[0] * l[0][t] + y[1] * l[1][t]) + (y[2] * l[2][t] + y[3] * l[3][t]);
    }
  }
  for (i = i - 1; i >= 0; --i) {
    const Scalar* l = L + i * stride;
    x[i] /= l[i];
    axpy(i, -x[i], l, x);
  }
}

template <class Scalar>
void subtract_columns(
    Index n, Index count, const Scalar* const* columns, const Scalar* x, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index j = 0;
  for (; j + 4 <= count; j += 4) {  // four at a time: y is read and written once for them
    const Scalar *a = columns[j], *b = columns[j + 1], *c = columns[j + 2], *d = columns[j + 3];
    const V<Scalar> fa = spread(x[j]), fb = spread(x[j + 1]);
    const V<Scalar> fc = spread(x[j + 2]), fd = spread(x[j + 3]);
    Index i = 0;
    for (; i + w <= n; i += w) {
      const V<Scalar> one = fa * load(a + i) + fb * load(b + i);
      const V<Scalar> two = fc * load(c + i) + fd * load(d + i);
      store(y + i, load(y + i) - (one + two));
    }
    for (; i < n; ++i) {
      y[i] -= (x[j] * a[i] + x[j + 1] * b[i]) + (x[j + 2] * c[i] + x[j + 3] * d[i]);
    }
  }
  for (; j < count; ++j) axpy(n, -x[j], columns[j], y);
}

template <class Scalar>
void rotate(Index n, Scalar c, Scalar s, Scalar* a, Scalar* b) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> vc = spread(c), vs = spread(s);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(a + i), y = load(b + i);
    store(a + i, vc * x + vs * y);
    store(b + i, vc * y - vs * x);
  }
  for (; i < n; ++i) {
    const Scalar x = a[i], y = b[i];
    a[i] = c * x + s * y;
    b[i] = c * y - s * x;
  }
}

// Atoms of the support stay at the boundary: c_i = s lambda, e_i = s, so that one of the two
// quotients is 0 / 0 and the other (2 lambda) / 2. `tiny` keeps the first from counting.
template <class Scalar>
Meeting<Scalar> first_meeting(
    const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar step) {
  constexpr Index w = Pack<Scalar>::kLanes;
  constexpr Scalar tiny = 4 * (sizeof(Scalar) == 4 ? __FLT_EPSILON__ : __DBL_EPSILON__);
  const V<Scalar> one = spread(Scalar(1)), zero{}, height = spread(lambda), least = spread(tiny);
  const auto one_step = [&](Scalar ci, Scalar ei) {
    const Scalar up = 1 - ei, down = 1 + ei;
    const Scalar plus = up > tiny ? larger(Scalar(0), lambda - ci) / up : lambda;
    const Scalar minus = down > tiny ? larger(Scalar(0), lambda + ci) / down : lambda;
    return smaller(plus, minus);
  };
  V<Scalar> best = spread(step);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> ci = load(c + i), ei = load(e + i);
    const V<Scalar> up = one - ei, down = one + ei;
    const V<Scalar> plus = up > least ? larger(zero, height - ci) / up : height;
    const V<Scalar> minus = down > least ? larger(zero, height + ci) / down : height;
    best = smaller(best, smaller(plus, minus));
  }
  Scalar first = step;
  for (Index t = 0; t < w; ++t) first = smaller(first, best[t]);
  Meeting<Scalar> meeting{-1, step};
  for (Index t = i; t < n; ++t) first = smaller(first, one_step(c[t], e[t]));
  if (!(first < step)) return meeting;
  for (Index t = 0; t < n; ++t) {
    if (one_step(c[t], e[t]) <= first) return {t, first};
  }
  return meeting;
}

template <class Scalar>
void urgency(const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar slack, Scalar* out) {
  constexpr Index w = Pack<Scalar>::kLanes;
  constexpr Scalar epsilon = sizeof(Scalar) == 4 ? __FLT_EPSILON__ : __DBL_EPSILON__;
  const Scalar nearest = epsilon * lambda;
  const V<Scalar> one = spread(1 + slack), slowest = spread(slack), height = spread(lambda);
  const V<Scalar> least = spread(nearest);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> ci = load(c + i), ei = load(e + i);
    const V<Scalar> up = larger(slowest, one - ei) / larger(least, height - ci);
    const V<Scalar> down = larger(slowest, one + ei) / larger(least, height + ci);
    store(out + i, larger(up, down));
  }
  for (; i < n; ++i) {
    const Scalar up = larger(slack, 1 + slack - e[i]) / larger(nearest, lambda - c[i]);
    const Scalar down = larger(slack, 1 + slack + e[i]) / larger(nearest, lambda + c[i]);
    out[i] = larger(up, down);
  }
}

template <class Scalar>
constexpr Kernels<Scalar> kTable{.advance = advance<Scalar>,
                                 .strongest = strongest<Scalar>,
                                 .largest = largest<Scalar>,
                                 .count_above = count_above<Scalar>,
                                 .above = above<Scalar>,
                                 .dot = dot<Scalar>,
                                 .axpy = axpy<Scalar>,
                                 .axpy_double = axpy_double,
                                 .gather = gather<Scalar>,
                                 .subtract_rows = subtract_rows<Scalar>,
                                 .subtract_columns = subtract_columns<Scalar>,
                                 .combine = combine<Scalar>,
                                 .solve_lower = solve_lower<Scalar>,
                                 .solve_upper = solve_upper<Scalar>,
                                 .rotate = rotate<Scalar>,
                                 .first_meeting = first_meeting<Scalar>,
                                 .urgency = urgency<Scalar>};

}  // namespace
}  // namespace nodl::simd
