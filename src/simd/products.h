// Products of a few rows or columns with a vector, and small triangles.
// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#include "simd/vectors.h"

namespace nodl::simd {
namespace {

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
  Scalar sum = sum_lanes<Scalar>((a + b) + (c + d));
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

/// Numbers in the precision of the sums that they are added to.
template <class Sum, class Scalar>
inline V<Sum> load_as(const Scalar* p) {
  if constexpr (sizeof(Sum) == sizeof(Scalar)) {
    return load(p);
  } else {
    typedef Scalar Narrow __attribute__((vector_size(Pack<Sum>::kLanes * sizeof(Scalar))));
    Narrow narrow;
    __builtin_memcpy(&narrow, p, sizeof narrow);
    return __builtin_convertvector(narrow, V<Sum>);
  }
}

/// y = g + sum_c weights_c columns_c (or -) for kVectors vectors, which stay in registers
/// meanwhile.
template <Product kProduct, Index kVectors, class Sum, class Scalar>
inline void add_columns_block(Index count,
                              const Scalar* const* columns,
                              const Sum* weights,
                              Index from,
                              const Sum* g,
                              Sum* y) {
  constexpr Index w = Pack<Sum>::kLanes;
  V<Sum> sum[kVectors];
#pragma GCC unroll 8
  for (Index v = 0; v < kVectors; ++v) sum[v] = load(g + v * w);
  for (Index c = 0; c < count; ++c) {
    const V<Sum> weight = spread(weights[c]);
    const Scalar* column = columns[c] + from;
#pragma GCC unroll 8
    for (Index v = 0; v < kVectors; ++v) {
      const V<Sum> x = load_as<Sum>(column + v * w);
      sum[v] = kProduct == Product::Subtract ? sum[v] - weight * x : sum[v] + weight * x;
    }
  }
#pragma GCC unroll 8
  for (Index v = 0; v < kVectors; ++v) store(y + v * w, sum[v]);
}

/// The same for n numbers; y may be g. Those that do not fill a vector are done in one that
/// overlaps others, from what these were before.
template <Product kProduct, class Sum, class Scalar>
inline void add_columns_to(
    Index n, Index count, const Scalar* const* columns, const Sum* weights, const Sum* g, Sum* y) {
  constexpr Index w = Pack<Sum>::kLanes;
  const Index last = n - w;
  const bool overlaps = n % w != 0 && last > 0;
  Sum kept[w];
  if (overlaps) add_columns_block<kProduct, 1>(count, columns, weights, last, g + last, kept);
  Index i = each_block<w>(n, [&]<Index kVectors>(Index from) {
    add_columns_block<kProduct, kVectors>(count, columns, weights, from, g + from, y + from);
  });
  if (overlaps) return store(y + last, load(kept));
  for (; i < n; ++i) {
    Sum sum = g[i];
    for (Index c = 0; c < count; ++c) {
      const Sum term = weights[c] * static_cast<Sum>(columns[c][i]);
      sum = kProduct == Product::Subtract ? sum - term : sum + term;
    }
    y[i] = sum;
  }
}

template <class Scalar>
void add_columns(
    Index n, Index count, const Scalar* const* columns, const double* weights, double* y) {
  add_columns_to<Product::Add>(n, count, columns, weights, y, y);
}

template <class Scalar>
void scale(Index n, Scalar a, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) store(y + i, factor * load(y + i));
  for (; i < n; ++i) y[i] *= a;
}

inline void scaled_copy(Index n, double a, const double* x, double* out) {
  constexpr Index w = Pack<double>::kLanes;
  const V<double> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) store(out + i, factor * load(x + i));
  for (; i < n; ++i) out[i] = a * x[i];
}
inline void scaled_copy(Index n, double a, const double* x, float* out) {
  typedef float Half __attribute__((vector_size(NODL_SIMD_BYTES / 2)));
  constexpr Index w = Pack<double>::kLanes;
  const V<double> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const Half half = __builtin_convertvector(factor * load(x + i), Half);
    __builtin_memcpy(out + i, &half, sizeof half);
  }
  for (; i < n; ++i) out[i] = static_cast<float>(a * x[i]);
}

/// The sum of squares in double, in 16 chains, so that rounding grows with n / 16.
template <class Scalar>
double square(const Scalar* x, Index n) {
  typedef Scalar Narrow __attribute__((vector_size(4 * sizeof(Scalar))));
  typedef double Wide __attribute__((vector_size(4 * sizeof(double))));
  Wide sum[4] = {};
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
#pragma GCC unroll 4
    for (int chain = 0; chain < 4; ++chain) {
      Narrow narrow;
      __builtin_memcpy(&narrow, x + i + 4 * chain, sizeof narrow);
      const Wide wide = __builtin_convertvector(narrow, Wide);
      sum[chain] += wide * wide;
    }
  }
  const Wide all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = (all[0] + all[1]) + (all[2] + all[3]);
  for (; i < n; ++i) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return total;
}

template <class Scalar>
void add_scaled(Index n, const Scalar* x, Scalar a, const Scalar* y, Scalar* out) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> factor = spread(a);
  Index i = 0;
  for (; i + w <= n; i += w) store(out + i, load(x + i) + factor * load(y + i));
  for (; i < n; ++i) out[i] = x[i] + a * y[i];
}

template <class Scalar>
Scalar replace(Index n, Scalar a, const Scalar* x, Scalar* y, Scalar* step) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> factor = spread(a);
  V<Scalar> largest{};
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> next = factor * load(x + i);
    const V<Scalar> difference = next - load(y + i);
    store(step + i, difference);
    store(y + i, next);
    largest = larger(largest, magnitudes<Scalar>(difference));
  }
  Scalar top = largest_lane<Scalar>(largest);
  for (; i < n; ++i) {
    const Scalar next = a * x[i];
    step[i] = next - y[i];
    y[i] = next;
    top = larger(top, magnitude(step[i]));
  }
  return top;
}

template <class Scalar>
void gather(const Scalar* x, const RowIndex* __restrict index, Index n, Scalar* __restrict out) {
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 8
    for (Index t = 0; t < 8; ++t) out[i + t] = x[index[i + t]];
  }
  for (; i < n; ++i) out[i] = x[index[i]];
}

template <class Scalar>
struct Lanes {
  typedef Scalar type __attribute__((vector_size(kGroup * sizeof(Scalar))));
};
template <class Scalar>
using Group = typename Lanes<Scalar>::type;

template <class Scalar>
inline Group<Scalar> load_group(const Scalar* p) {
  Group<Scalar> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Scalar>
inline void store_group(Scalar* p, Group<Scalar> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

template <class Scalar>
void gather_group(Index n, const RowIndex* at, const Scalar* const* columns, Scalar* out) {
  const Scalar *a = columns[0], *b = columns[1], *c = columns[2], *d = columns[3];
  const Scalar *e = columns[4], *f = columns[5], *g = columns[6], *h = columns[7];
  for (Index i = 0; i < n; ++i) {
    const RowIndex r = at[i];
    store_group(out + i * kGroup, Group<Scalar>{a[r], b[r], c[r], d[r], e[r], f[r], g[r], h[r]});
  }
}

template <class Scalar>
void project_group(Index first,
                   Index past,
                   const Scalar* M,
                   Index stride,
                   const Scalar* R,
                   Scalar* X,
                   Scalar* rest) {
  Group<Scalar> left = load_group(rest);
  Index t = first;
  for (; t + 4 <= past; t += 4) {
    const Scalar *a = M + t * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    Group<Scalar> sum[4] = {};
    for (Index i = 0; i < t + 4; ++i) {
      const Group<Scalar> r = load_group(R + i * kGroup);
      sum[0] += a[i] * r;
      sum[1] += b[i] * r;
      sum[2] += c[i] * r;
      sum[3] += d[i] * r;
    }
#pragma GCC unroll 4
    for (int row = 0; row < 4; ++row) {
      store_group(X + (t + row) * kGroup, sum[row]);
      left -= sum[row] * sum[row];
    }
  }
  for (; t < past; ++t) {
    const Scalar* m = M + t * stride;
    Group<Scalar> sum[4] = {};
    Index i = 0;
    for (; i + 4 <= t + 1; i += 4) {
#pragma GCC unroll 4
      for (int chain = 0; chain < 4; ++chain) {
        sum[chain] += m[i + chain] * load_group(R + (i + chain) * kGroup);
      }
    }
    for (; i <= t; ++i) sum[0] += m[i] * load_group(R + i * kGroup);
    sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    store_group(X + t * kGroup, sum[0]);
    left -= sum[0] * sum[0];
  }
  store_group(rest, left);
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

/// Long columns go by four at a time, each as one stream from afar.
template <class Scalar>
inline void subtract_streams(
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
void residual(Index n,
              Index count,
              const Scalar* const* columns,
              const Scalar* x,
              const Scalar* g,
              Scalar* y) {
  constexpr Index kShort = 8192 / sizeof(Scalar);
  if (n <= kShort) return add_columns_to<Product::Subtract>(n, count, columns, x, g, y);
  if (y != g) __builtin_memcpy(y, g, n * sizeof(Scalar));
  subtract_streams(n, count, columns, x, y);
}

/// Four rows at a time: their products with what is solved already are independent.
template <class Scalar>
void solve_lower(Index p, const Scalar* L, Index stride, Scalar* x) {
  constexpr Index w = Pack<Scalar>::kLanes;
  Index i = 0;
  for (; i + 4 <= p; i += 4) {
    const Scalar* l[4] = {
        L + i * stride, L + (i + 1) * stride, L + (i + 2) * stride, L + (i + 3) * stride};
    // Made while the products are: a division in the chain of rows would be waited for.
    const Scalar inverse[4] = {1 / l[0][i], 1 / l[1][i + 1], 1 / l[2][i + 2], 1 / l[3][i + 3]};
    V<Scalar> sum[4] = {};
    Index t = 0;
    for (; t + w <= i; t += w) {
      const V<Scalar> known = load(x + t);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) sum[r] += load(l[r] + t) * known;
    }
    Scalar dots[4];
    for (int r = 0; r < 4; ++r) {
      dots[r] = sum_lanes<Scalar>(sum[r]);
    }
    for (; t < i; ++t) {
      for (int r = 0; r < 4; ++r) dots[r] += l[r][t] * x[t];
    }
    for (int r = 0; r < 4; ++r) {
      Scalar value = x[i + r] - dots[r];
      for (int c = 0; c < r; ++c) value -= l[r][i + c] * x[i + c];
      x[i + r] = value * inverse[r];
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
    const Scalar inverse[4] = {1 / l[0][i - 4], 1 / l[1][i - 3], 1 / l[2][i - 2], 1 / l[3][i - 1]};
    for (int r = 3; r >= 0; --r) {
      y[r] *= inverse[r];
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

/// Four rows at a time: their products with x, and while they are at hand what they add to y.
template <class Scalar>
void project_and_combine(
    Index p, const Scalar* M, Index stride, const Scalar* x, Scalar* along, Scalar* y) {
  constexpr Index w = Pack<Scalar>::kLanes;
  for (Index i = 0; i < p; i += w) store(y + i, V<Scalar>{});
  Index t = 0;
  for (; t + 4 <= p; t += 4) {
    const Scalar *a = M + t * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    V<Scalar> sum[4] = {};
    for (Index i = 0; i < t + 4; i += w) {
      const V<Scalar> v = load(x + i);
      sum[0] += load(a + i) * v;
      sum[1] += load(b + i) * v;
      sum[2] += load(c + i) * v;
      sum[3] += load(d + i) * v;
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) along[t + r] = sum_lanes<Scalar>(sum[r]);
    const V<Scalar> fa = spread(along[t]), fb = spread(along[t + 1]);
    const V<Scalar> fc = spread(along[t + 2]), fd = spread(along[t + 3]);
    for (Index i = 0; i < t + 4; i += w) {
      const V<Scalar> one = fa * load(a + i) + fb * load(b + i);
      const V<Scalar> two = fc * load(c + i) + fd * load(d + i);
      store(y + i, load(y + i) + (one + two));
    }
  }
  for (; t < p; ++t) {
    const Scalar* m = M + t * stride;
    V<Scalar> sum{};
    for (Index i = 0; i <= t; i += w) sum += load(m + i) * load(x + i);
    along[t] = sum_lanes<Scalar>(sum);
    const V<Scalar> factor = spread(along[t]);
    for (Index i = 0; i <= t; i += w) store(y + i, load(y + i) + factor * load(m + i));
  }
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

}  // namespace
}  // namespace nodl::simd
