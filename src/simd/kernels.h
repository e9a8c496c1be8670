// Short vector loops of the coders and matrix products, compiled once per instruction set and
// chosen when the program starts: binaries are built for any x86-64, and use what the processor
// has.
#pragma once

#include "nodl/types.h"

namespace nodl::simd {

/// What happens first on the way.
template <class Scalar>
struct Meeting {
  Index index;  // -1: nothing before `step`
  Scalar step;
};

/// Atoms that are entered side by side: numbers of one atom stand kGroup apart.
inline constexpr Index kGroup = 8;

template <class Scalar>
struct Kernels {
  /// Lists up to `most` indices with |c_i| - bound_i above `least` and above `share` times the
  /// largest, which is the first; returns how many. Of indices that are alike modulo two vectors
  /// only the largest is listed.
  Index (*strongest)(const Scalar* c,
                     const Scalar* bound,
                     Index n,
                     Scalar least,
                     Scalar share,
                     RowIndex* out,
                     Index most);
  /// max |c_i|.
  Scalar (*largest)(const Scalar* c, Index n);
  /// How many |c_i| are above `limit`.
  Index (*count_above)(const Scalar* c, Index n, Scalar limit);
  /// Whether all |c_i| are at most `limit`; NaN is not.
  bool (*all_within)(const Scalar* c, Index n, Scalar limit);
  /// Lists the first `room` indices with |c_i| above `limit`, in order; returns how many.
  Index (*above)(const Scalar* c, Index n, Scalar limit, RowIndex* out, Index room);
  Scalar (*dot)(const Scalar* x, const Scalar* y, Index n);
  /// y += a x.
  void (*axpy)(Index n, Scalar a, const Scalar* x, Scalar* y);
  /// y += sum_c weights_c columns_c, one after the other and in double; columns are anywhere.
  void (*add_columns)(
      Index n, Index count, const Scalar* const* columns, const double* weights, double* y);
  /// y *= a.
  void (*scale)(Index n, Scalar a, Scalar* y);
  /// out = a x, rounded to Scalar.
  void (*scaled_copy)(Index n, double a, const double* x, Scalar* out);
  /// The sum of squares in double.
  double (*square)(const Scalar* x, Index n);
  /// out = x + a y.
  void (*add_scaled)(Index n, const Scalar* x, Scalar a, const Scalar* y, Scalar* out);
  /// y becomes a x; `step` is what that changed, and max |step_i| is returned.
  Scalar (*replace)(Index n, Scalar a, const Scalar* x, Scalar* y, Scalar* step);
  /// out_i = x[index_i].
  void (*gather)(const Scalar* x, const RowIndex* index, Index n, Scalar* out);
  /// out[i * kGroup + e] = columns_e[at_i] for the kGroup columns.
  void (*gather_group)(Index n, const RowIndex* at, const Scalar* const* columns, Scalar* out);
  /// X_t = sum_i M_ti R_i for rows first <= t < past of a lower triangle M, rows `stride` apart and
  /// zero behind the diagonal; R_i and X_t are kGroup numbers. Takes the squares of X_t from
  /// `rest`.
  void (*project_group)(Index first,
                        Index past,
                        const Scalar* M,
                        Index stride,
                        const Scalar* R,
                        Scalar* X,
                        Scalar* rest);
  /// along = M x and y = M^T along for a lower triangle M of p rows, `stride` apart and zero behind
  /// the diagonal. x (zero behind p) and y have room for whole vectors.
  void (*project_and_combine)(
      Index p, const Scalar* M, Index stride, const Scalar* x, Scalar* along, Scalar* y);
  /// y = scale (g - sum_i x_i row_i), rows `stride` apart; y may be g.
  void (*subtract_rows)(Index n,
                        Index count,
                        const Scalar* rows,
                        Index stride,
                        const Scalar* x,
                        Scalar scale,
                        const Scalar* g,
                        Scalar* y);
  /// y = sum_i x_i columns_i, where columns are anywhere.
  void (*combine)(Index n, Index count, const Scalar* const* columns, const Scalar* x, Scalar* y);
  /// y = g - sum_i x_i columns_i, where columns are anywhere; y may be g.
  void (*residual)(Index n,
                   Index count,
                   const Scalar* const* columns,
                   const Scalar* x,
                   const Scalar* g,
                   Scalar* y);
  /// to(j, i) = from(i, j) for m x n numbers, by columns, `stride` apart.
  void (*transpose)(
      Index m, Index n, const Scalar* from, Index stride_from, Scalar* to, Index stride_to);
  /// x <- L^-1 x and x <- L^-T x for a lower triangle L of p rows, `stride` apart.
  void (*solve_lower)(Index p, const Scalar* L, Index stride, Scalar* x);
  void (*solve_upper)(Index p, const Scalar* L, Index stride, Scalar* x);
  /// (a, b) <- (c a + s b, c b - s a).
  void (*rotate)(Index n, Scalar c, Scalar s, Scalar* a, Scalar* b);
  /// The smallest step t >= 0, below `step`, at which |c_i - t e_i| = lambda - t for some i.
  Meeting<Scalar> (*first_meeting)(
      const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar step);
  /// The smallest t >= 0, at most `step`, at which some value_i + t direction_i passes 0.
  Meeting<Scalar> (*first_zero)(const Scalar* value, const Scalar* direction, Index n, Scalar step);
  /// out_i = 1 / t for the step t at which |c_i - t e_i| = lambda - t would hold if every quantity
  /// moved faster towards the boundary by `slack`, and none away from it.
  void (*urgency)(
      const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar slack, Scalar* out);
};

enum class Product { Set, Add, Subtract };

/// A matrix by columns, `stride` apart; `transposed` where its transpose is meant.
template <class Scalar>
struct Factor {
  const Scalar* data;
  Index stride;
  bool transposed = false;
};

/// Whether columns this far apart can be in the first-level cache and its page table together. A
/// left factor of such columns is read where it is, and need not meet many columns at a time.
template <class Scalar>
constexpr bool columns_are_near(Index stride) {
  const Index bytes = stride * static_cast<Index>(sizeof(Scalar));
  return bytes <= 1280 && bytes % 512 != 0;
}

/// C = A B, C += A B or C -= A B for A of m x depth and B of depth x n; C by columns, `stride`
/// apart. How C is cut into calls changes no bit of it.
template <class Scalar>
using Multiply = void(Product product,
                      Index m,
                      Index n,
                      Index depth,
                      const Factor<Scalar>& A,
                      const Factor<Scalar>& B,
                      Scalar* C,
                      Index stride_C);

enum class Level { Baseline, Avx2, Avx512 };
bool supported(Level level);
/// The best that this processor has; NODL_CPU=baseline|avx2|avx512 asks for less.
Level level();

template <class Scalar>
const Kernels<Scalar>& kernels(Level level);
template <class Scalar>
const Kernels<Scalar>& kernels();  // of level()

template <class Scalar>
Multiply<Scalar>* multiply_by(Level level);
/// The product of level().
template <class Scalar>
void multiply(Product product,
              Index m,
              Index n,
              Index depth,
              const Factor<Scalar>& A,
              const Factor<Scalar>& B,
              Scalar* C,
              Index stride_C);

}  // namespace nodl::simd
