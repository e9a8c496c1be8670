// The support's factor together with the projections of all atoms on it: the QR form of the path
// coders. Adding an atom costs one matrix-vector product over k x |A|; correlations and directions
// then change by a multiple of one row, without a triangular solve.
#pragma once

#include <vector>

#include "encode/support_factor.h"
#include "simd/kernels.h"

namespace nodl {

/// With D_A = Q L^T, direction i has the row w_i = q_i^T D (k numbers), so that
/// L^-1 G_Aj is the j-th entry of all rows.
template <class Scalar>
class Projections {
 public:
  Projections(const Matrix<Scalar>& gram, Scalar resolution)
      : G_(&gram), factor_(gram, resolution) {}

  Index size() const { return factor_.size(); }
  const SupportFactor<Scalar>& factor() const { return factor_; }
  const Scalar* row(Index i) const { return W_.data() + i * G_->rows(); }
  void clear() { factor_.clear(); }

  /// False if the atom depends linearly on the support.
  bool add(Index j) {
    const Index p = size(), k = G_->rows();
    factor_.reserve(p + 1);
    Scalar* l = factor_.row(p);
    for (Index i = 0; i < p; ++i) l[i] = row(i)[j];
    if (!factor_.add_with_row(j, p)) return false;
    if (static_cast<Index>(W_.size()) < (p + 1) * k) W_.resize(std::max(2 * p, p + 16) * k);
    Scalar* w = W_.data() + p * k;  // w_p = (g_j - sum_i l_i w_i) / l_p
    l = factor_.row(p);
    const Scalar inverse = 1 / l[p];
    simd::kernels<Scalar>().subtract_rows(k, p, W_.data(), k, l, inverse, G_->col(j).data(), w);
    return true;
  }

  void remove(Index position) {
    const Index k = G_->rows();
    factor_.remove(position, [&](Index t, Scalar c, Scalar s) {
      Scalar* a = W_.data() + t * k;
      simd::kernels<Scalar>().rotate(k, c, s, a, a + k);
    });
  }

  /// out = sum_i z_i w_i.
  void combine(const Scalar* z, Scalar* out) const {
    const Index k = G_->rows();
    std::fill_n(out, k, Scalar(0));
    simd::kernels<Scalar>().subtract_rows(k, size(), W_.data(), k, z, Scalar(-1), out, out);
  }

 private:
  const Matrix<Scalar>* G_;
  SupportFactor<Scalar> factor_;
  std::vector<Scalar> W_;  // rows one after the other, each k long
};

}  // namespace nodl
