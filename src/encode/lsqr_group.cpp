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

template <class V>
NODL_INLINE void multiply_body(
    const Operator& op, const double* v, const double* inverse, const double* factor, double* u) {
  const Lanes<V> scale(inverse), keep(factor);
  const Index k_s = op.atoms.cols, k_d = op.dense_atoms;
  Lanes<V> constant;
  if (op.centred) {
    for (Index j = 0; j < k_s; ++j) constant.add(-op.offset[j], Lanes<V>(v + j * kLanes));
    constant.scale(scale);
  }
  const double* tail = v + k_s * kLanes;
  const auto finish = [&](Lanes<V> & sum, Index r) __attribute__((always_inline)) {
    sum.scale(scale);
    sum.add(r < op.active ? 1.0 : op.ones[r - op.active], constant);
    sum.add(keep, Lanes<V>(u + r * kLanes));
    sum.store(u + r * kLanes);
  };
  constexpr Index kTile = 4;  // rows whose sums stay in registers
  Index first = 0;
  for (; first + kTile <= op.rows; first += kTile) {
    Lanes<V> sum[kTile];
    const double* entries = op.dense + first * k_d;
    for (Index l = 0; l < k_d; ++l) {
      const Lanes<V> weight(tail + l * kLanes);
      for (Index i = 0; i < kTile; ++i) sum[i].add(entries[i * k_d + l], weight);
    }
    for (Index i = 0; i < kTile; ++i) finish(sum[i], first + i);
  }
  for (; first < op.rows; ++first) {
    Lanes<V> sum;
    const double* entries = op.dense + first * k_d;
    for (Index l = 0; l < k_d; ++l) sum.add(entries[l], Lanes<V>(tail + l * kLanes));
    finish(sum, first);
  }
  for (Index j = 0; j < k_s; ++j) {
    Lanes<V> weight(v + j * kLanes);
    weight.scale(scale);
    for (Index p = op.atoms.starts[j]; p < op.atoms.starts[j + 1]; ++p) {
      double* at = u + static_cast<Index>(op.atoms.indices[p]) * kLanes;
      Lanes<V> row(at);
      row.add(op.atoms.values[p], weight);
      row.store(at);
    }
  }
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
NODL_DISPATCH(
    multiply,
    (const Operator& op, const double* v, const double* inverse, const double* factor, double* u),
    (op, v, inverse, factor, u))
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

void multiply(
    const Operator& op, const double* v, const double* inverse, const double* factor, double* u) {
  NODL_CALL(multiply, (op, v, inverse, factor, u))
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
