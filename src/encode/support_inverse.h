// The Gram matrix of a support, factorised for atoms that enter in groups and leave one by one, in
// float32.
#pragma once

#include "aligned_vector.h"
#include "nodl/types.h"
#include "simd/kernels.h"

namespace nodl {

/// With D_A = Q L^T, row t of M = L^-1 writes direction t as a combination of the atoms: G_AA^-1 =
/// M^T M. Everything is a product with M, where a factor L would have to be solved with, one number
/// after the other.
class SupportInverse {
 public:
  explicit SupportInverse(Index deepest);

  void clear() { size_ = 0; }
  Index size() const { return size_; }
  bool full() const { return size_ == deepest_; }
  const float* rows() const { return rows_.data(); }
  const float* row(Index t) const { return rows_.data() + t * stride_; }
  Index stride() const { return stride_; }

  /// Where the products of the next atom with those of the support are to be written.
  float* products() { return products_.data(); }
  /// Adds that atom; `square` is its own. False if it (nearly) depends on the others.
  bool enter(float square);

  /// Adds the atom whose component along direction t is along[t * step], and 1 / inverse_rest
  /// beyond.
  void push(const float* along, Index step, float inverse_rest);
  /// Takes out the atom at a position. The directions are rotated for it, and `carried` (size()
  /// coordinates) with them; the last of them goes away, but stays readable as row(size()).
  void leave(Index position, float* carried);

  /// a = M^T z; there must be room for padded(size()) numbers.
  void combine(const float* z, float* a) const;
  static Index padded(Index n) { return (n + 7) / 8 * 8; }
  /// x <- G_AA^-1 x.
  void solve(float* x) const;

  /// Share of an atom's square outside the span of the others below which float32 is lost.
  static constexpr float kDependent = 1e-4F;

 private:
  float* own(Index t) { return rows_.data() + t * stride_; }
  void widen();

  const simd::Kernels<float>& simd_;
  Index deepest_;
  Index stride_;  // of rows, as many of which there are; rows are zero behind the diagonal
  Index size_ = 0;
  AlignedVector<float> rows_;
  AlignedVector<float> zeros_;
  AlignedVector<float> products_, along_;              // room: of an atom that enters
  mutable AlignedVector<float> projected_, combined_;  // room
};

}  // namespace nodl
