// Cholesky factor of the Gram matrix of a few chosen atoms, grown and shrunk one atom at a time.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "nodl/types.h"
#include "simd/kernels.h"

namespace nodl {

/// G_AA = L L^T for the atoms of `support()`, in the order they were added.
template <class Scalar>
class SupportFactor {
 public:
  /// `resolution`: the precision in which the atoms are known.
  SupportFactor(const Matrix<Scalar>& gram, Scalar resolution)
      : G_(&gram), dependent_(32 * resolution) {}

  Index size() const { return static_cast<Index>(support_.size()); }
  const std::vector<Index>& support() const { return support_; }
  void clear() { support_.clear(); }

  /// False, and nothing changed, if atom j depends linearly on the support (to rounding).
  bool add(Index j) {
    const Index p = size();
    reserve(p + 1);
    Scalar* l = row(p);
    for (Index i = 0; i < p; ++i) l[i] = (*G_)(support_[i], j);
    solve_lower(l);
    return add_with_row(j, p);
  }

  /// The same where L^-1 G_Aj is known and has been written to row(size()).
  bool add_with_row(Index j, Index p) {
    Scalar* l = row(p);
    const Scalar square = (*G_)(j, j) - simd::kernels<Scalar>().dot(l, l, p);
    if (!(square > dependent_ * (*G_)(j, j))) return false;
    l[p] = std::sqrt(square);
    support_.push_back(j);
    return true;
  }

  /// Takes out the atom at `position`; rotate(t, c, s) is told of each rotation of the pair of
  /// directions t, t + 1 that restores the triangle.
  template <class Rotate>
  void remove(Index position, Rotate&& rotate) {
    const Index p = size();
    for (Index i = position; i + 1 < p; ++i) {
      std::copy_n(row(i + 1), i + 2, row(i));  // row i now has one entry too many, at i + 1
    }
    support_.erase(support_.begin() + position);
    for (Index t = position; t + 1 < p; ++t) {
      const Scalar a = row(t)[t], b = row(t)[t + 1];
      const Scalar r = std::hypot(a, b), c = a / r, s = b / r;
      for (Index i = t; i + 1 < p; ++i) {
        const Scalar x = row(i)[t], y = row(i)[t + 1];
        row(i)[t] = c * x + s * y;
        row(i)[t + 1] = c * y - s * x;
      }
      rotate(t, c, s);
    }
  }
  void remove(Index position) {
    remove(position, [](Index, Scalar, Scalar) {});
  }

  /// x <- L^-1 x.
  void solve_lower(Scalar* x) const {
    simd::kernels<Scalar>().solve_lower(size(), rows_.data(), stride_, x);
  }
  /// x <- L^-T x.
  void solve_upper(Scalar* x) const {
    simd::kernels<Scalar>().solve_upper(size(), rows_.data(), stride_, x);
  }
  /// x <- G_AA^-1 x.
  void solve(Scalar* x) const {
    solve_lower(x);
    solve_upper(x);
  }

  Scalar* row(Index i) { return rows_.data() + i * stride_; }
  const Scalar* row(Index i) const { return rows_.data() + i * stride_; }

  /// Room for `wanted` atoms without another allocation.
  void reserve(Index wanted) {
    if (wanted <= stride_) return;
    const Index stride = std::max<Index>(2 * stride_, std::max<Index>(wanted, 16));
    std::vector<Scalar> rows(stride * stride);
    for (Index i = 0; i < size(); ++i) std::copy_n(row(i), i + 1, rows.data() + i * stride);
    rows_ = std::move(rows);
    stride_ = stride;
  }

 private:
  const Matrix<Scalar>* G_;
  Scalar dependent_;  // share of an atom's squared norm outside the span that is taken for rounding
  std::vector<Index> support_;
  std::vector<Scalar> rows_;
  Index stride_ = 0;
};

}  // namespace nodl
