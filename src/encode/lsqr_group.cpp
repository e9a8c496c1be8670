#include "encode/lsqr_group.h"

#include "simd/kernels.h"

namespace nodl::lsqr {
namespace {

#define NODL_INLINE __attribute__((always_inline)) inline

/// kLanes numbers in vectors of type V.
template <class V>
struct Lanes {
  static constexpr int kParts = static_cast<int>(sizeof(double) * kLanes / sizeof(V));
  typedef V Stored __attribute__((aligned(8), may_alias));  // anywhere among other doubles
  V part[kParts];

  NODL_INLINE Lanes() {
    for (V& p : part) p = V{};
  }
  NODL_INLINE explicit Lanes(const double* from) {
    for (int i = 0; i < kParts; ++i) part[i] = reinterpret_cast<const Stored*>(from)[i];
  }
  NODL_INLINE void store(double* to) const {
    for (int i = 0; i < kParts; ++i) reinterpret_cast<Stored*>(to)[i] = part[i];
  }
  /// this += a x, also with a different for each lane.
  NODL_INLINE void add(double a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] += a * x.part[i];
  }
  NODL_INLINE void add(const Lanes& a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] += a.part[i] * x.part[i];
  }
  NODL_INLINE void add(const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] += x.part[i];
  }
  NODL_INLINE void subtract(const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] -= x.part[i];
  }
  NODL_INLINE void scale(const Lanes& a) {
    for (int i = 0; i < kParts; ++i) part[i] *= a.part[i];
  }
  NODL_INLINE void scale(double a) {
    for (int i = 0; i < kParts; ++i) part[i] *= a;
  }
};

template <class V>
NODL_INLINE void squares_and_sums_body(const Operator& op,
                                       const double* u,
                                       double* squares,
                                       double* sums) {
  Lanes<V> square, sum;
  if (op.centred) {
    for (Index r = 0; r < op.active; ++r) {
      const Lanes<V> value(u + r * kLanes);
      square.add(value, value);
      sum.add(value);
    }
  }
  for (Index r = op.centred ? op.active : 0; r < op.rows; ++r) {
    const Lanes<V> value(u + r * kLanes);
    square.add(value, value);
    if (op.centred) sum.add(op.ones[r - op.active], value);
  }
  square.store(squares);
  sum.store(sums);
}

/// u <- keep u + scale (D v - constant) for the kTile rows from `first` on, whose sums stay in
/// registers; their squares and their products with the ones are added up.
template <class V, Index kTile>
NODL_INLINE void multiply_rows(const Operator& op,
                               Index first,
                               const double* v,
                               const Lanes<V>& scale,
                               const Lanes<V>& constant,
                               const Lanes<V>& keep,
                               double* u,
                               Lanes<V>* squares,
                               Lanes<V>* sums) {
  const Index k_d = op.dense_atoms;
  const double *entries = op.dense + first * k_d, *tail = v + op.atoms.cols * kLanes;
  Lanes<V> sum[kTile];
  for (Index l = 0; l < k_d; ++l) {
    const Lanes<V> weight(tail + l * kLanes);
#pragma GCC unroll 4
    for (Index i = 0; i < kTile; ++i) sum[i].add(entries[i * k_d + l], weight);
  }
#pragma GCC unroll 4
  for (Index i = 0; i < kTile; ++i) {
    const Index r = first + i;
    double one = 1;
    if (r < op.active) {
      for (Index p = op.by_row.starts[r]; p < op.by_row.starts[r + 1]; ++p) {
        sum[i].add(op.by_row.values[p], Lanes<V>(v + op.by_row.indices[p] * kLanes));
      }
    } else {
      one = op.ones[r - op.active];
    }
    sum[i].scale(scale);
    sum[i].add(one, constant);
    sum[i].add(keep, Lanes<V>(u + r * kLanes));
    sum[i].store(u + r * kLanes);
    squares[i].add(sum[i], sum[i]);
    sums[i].add(one, sum[i]);
  }
}

template <class V>
NODL_INLINE void multiply_body(const Operator& op,
                               const double* v,
                               const double* inverse,
                               const double* factor,
                               double* u,
                               double* squares,
                               double* sums) {
  const Lanes<V> scale(inverse), keep(factor);
  Lanes<V> constant;
  if (op.centred) {
    for (Index j = 0; j < op.atoms.cols; ++j) {
      constant.add(-op.offset[j], Lanes<V>(v + j * kLanes));
    }
    constant.scale(scale);
  }
  constexpr Index kTile = 4;
  Lanes<V> square[kTile], sum[kTile];
  Index r = 0;
  for (; r + kTile <= op.rows; r += kTile) {
    multiply_rows<V, kTile>(op, r, v, scale, constant, keep, u, square, sum);
  }
  for (; r < op.rows; ++r) multiply_rows<V, 1>(op, r, v, scale, constant, keep, u, square, sum);
  for (Index i = 1; i < kTile; ++i) {
    square[0].add(square[i]);
    sum[0].add(sum[i]);
  }
  if (!op.centred) sum[0] = {};
  square[0].store(squares);
  sum[0].store(sums);
}

template <class V>
NODL_INLINE void correlate_body(const Operator& op,
                                const double* u,
                                const double* inverse,
                                const double* sums,
                                const double* factor,
                                double* v,
                                double* squares) {
  const Lanes<V> scale(inverse), keep(factor);
  // (d - mean 1)'u = d'(u - mean(u) 1): taking the mean out of u first loses fewer digits.
  Lanes<V> mean(sums);
  mean.scale(1 / op.dimension);
  Lanes<V> square;
  const auto finish = [&](Lanes<V> & dot, double* at) __attribute__((always_inline)) {
    dot.scale(scale);
    dot.add(keep, Lanes<V>(at));
    dot.store(at);
    square.add(dot, dot);
  };
  const Index k_s = op.atoms.cols, k_d = op.dense_atoms;
  for (Index j = 0; j < k_s; ++j) {
    Lanes<V> dot;
    for (Index p = op.atoms.starts[j]; p < op.atoms.starts[j + 1]; ++p) {
      Lanes<V> row(u + static_cast<Index>(op.atoms.indices[p]) * kLanes);
      row.subtract(mean);
      dot.add(op.atoms.values[p], row);
    }
    finish(dot, v + j * kLanes);
  }
  constexpr Index kTile = 4;  // dense atoms whose sums stay in registers
  Index first = 0;
  for (; first + kTile <= k_d; first += kTile) {
    Lanes<V> dot[kTile];
    for (Index r = 0; r < op.rows; ++r) {
      const double* entries = op.dense + r * k_d + first;
      const Lanes<V> value(u + r * kLanes);
      for (Index l = 0; l < kTile; ++l) dot[l].add(entries[l], value);
    }
    for (Index l = 0; l < kTile; ++l) finish(dot[l], v + (k_s + first + l) * kLanes);
  }
  for (; first < k_d; ++first) {
    Lanes<V> dot;
    for (Index r = 0; r < op.rows; ++r) {
      dot.add(op.dense[r * k_d + first], Lanes<V>(u + r * kLanes));
    }
    finish(dot, v + (k_s + first) * kLanes);
  }
  square.store(squares);
}

template <class V>
NODL_INLINE void direct_body(Index k,
                             const double* v,
                             const double* inverse,
                             const double* theta,
                             const double* inverse_rho,
                             double* d,
                             const double* x,
                             double* d_squares,
                             double* x_squares) {
  Lanes<V> weight(inverse), keep(theta);
  weight.scale(Lanes<V>(inverse_rho));
  keep.scale(Lanes<V>(inverse_rho));
  keep.scale(-1);
  Lanes<V> d_square, x_square;
  for (Index j = 0; j < k * kLanes; j += kLanes) {
    Lanes<V> next(v + j);
    next.scale(weight);
    next.add(keep, Lanes<V>(d + j));
    next.store(d + j);
    d_square.add(next, next);
    const Lanes<V> old(x + j);
    x_square.add(old, old);
  }
  d_square.store(d_squares);
  x_square.store(x_squares);
}

template <class V>
NODL_INLINE void step_body(Index k, const double* phi, const double* d, double* x) {
  const Lanes<V> weight(phi);
  for (Index j = 0; j < k * kLanes; j += kLanes) {
    Lanes<V> next(x + j);
    next.add(weight, Lanes<V>(d + j));
    next.store(x + j);
  }
}

typedef double Narrow __attribute__((vector_size(16)));
typedef double Wide __attribute__((vector_size(32)));
typedef double Widest __attribute__((vector_size(64)));

// NOLINTBEGIN(bugprone-macro-parentheses): arguments are lists in parentheses of their own.
#if defined(__x86_64__)
#define NODL_AVX2 __attribute__((target("avx2,fma")))
#define NODL_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#define NODL_DISPATCH(name, parameters, arguments)                             \
  NODL_AVX512 void name##_avx512 parameters { name##_body<Widest> arguments; } \
  NODL_AVX2 void name##_avx2 parameters { name##_body<Wide> arguments; }       \
  void name##_plain parameters { name##_body<Narrow> arguments; }
#define NODL_CALL(name, arguments)    \
  switch (simd::level()) {            \
    case simd::Level::Avx512:         \
      return name##_avx512 arguments; \
    case simd::Level::Avx2:           \
      return name##_avx2 arguments;   \
    case simd::Level::Baseline:       \
      return name##_plain arguments;  \
  }
#else
#define NODL_DISPATCH(name, parameters, arguments)
#define NODL_CALL(name, arguments) name##_body<Narrow> arguments;
#endif
// NOLINTEND(bugprone-macro-parentheses)

NODL_DISPATCH(squares_and_sums,
              (const Operator& op, const double* u, double* squares, double* sums),
              (op, u, squares, sums))
NODL_DISPATCH(multiply,
              (const Operator& op,
               const double* v,
               const double* inverse,
               const double* factor,
               double* u,
               double* squares,
               double* sums),
              (op, v, inverse, factor, u, squares, sums))
NODL_DISPATCH(correlate,
              (const Operator& op,
               const double* u,
               const double* inverse,
               const double* sums,
               const double* factor,
               double* v,
               double* squares),
              (op, u, inverse, sums, factor, v, squares))
NODL_DISPATCH(direct,
              (Index k,
               const double* v,
               const double* inverse,
               const double* theta,
               const double* inverse_rho,
               double* d,
               const double* x,
               double* d_squares,
               double* x_squares),
              (k, v, inverse, theta, inverse_rho, d, x, d_squares, x_squares))
NODL_DISPATCH(step, (Index k, const double* phi, const double* d, double* x), (k, phi, d, x))

}  // namespace

void squares_and_sums(const Operator& op, const double* u, double* squares, double* sums) {
  NODL_CALL(squares_and_sums, (op, u, squares, sums))
}

void multiply(const Operator& op,
              const double* v,
              const double* inverse,
              const double* factor,
              double* u,
              double* squares,
              double* sums) {
  NODL_CALL(multiply, (op, v, inverse, factor, u, squares, sums))
}

void correlate(const Operator& op,
               const double* u,
               const double* inverse,
               const double* sums,
               const double* factor,
               double* v,
               double* squares) {
  NODL_CALL(correlate, (op, u, inverse, sums, factor, v, squares))
}

void direct(Index k,
            const double* v,
            const double* inverse,
            const double* theta,
            const double* inverse_rho,
            double* d,
            const double* x,
            double* d_squares,
            double* x_squares) {
  NODL_CALL(direct, (k, v, inverse, theta, inverse_rho, d, x, d_squares, x_squares))
}

void step(Index k, const double* phi, const double* d, double* x) {
  NODL_CALL(step, (k, phi, d, x))
}

}  // namespace nodl::lsqr
