// The Cholesky factor of a support's Gram matrix in float32, grown and shrunk one atom at a time.
#pragma once

#include <algorithm>
#include <cmath>

#include "aligned_vector.h"
#include "nodl/types.h"
#include "simd/kernels.h"

namespace nodl {

class Triangle {
 public:
  explicit Triangle(Index deepest)
      : deepest_(deepest), stride_(staggered(deepest)), rows_(deepest * stride_) {}

  Index size() const { return size_; }
  bool full() const { return size_ == deepest_; }
  void clear() { size_ = 0; }
  const float* row(Index i) const { return rows_.data() + i * stride_; }

  /// Where L^-1 G_Aj of the next atom is to be written: size() numbers.
  float* next_row() { return rows_.data() + size_ * stride_; }
  /// Adds that row; `square` is |d_j|^2. False if the atom (nearly) depends on the others.
  bool push(float square) {
    float* l = next_row();
    const float rest = square - simd_.dot(l, l, size_);
    if (!(rest > kDependent * square)) return false;
    l[size_++] = std::sqrt(rest);
    return true;
  }
  /// Takes out the row at a position; rotate(t, c, s) is told of each rotation of the pair of
  /// directions t, t + 1 that restores the triangle.
  template <class Rotate>
  void remove(Index position, Rotate&& rotate) {
    for (Index i = position; i + 1 < size_; ++i) std::copy_n(row(i + 1), i + 2, own(i));
    for (Index t = position; t + 1 < size_; ++t) {  // row t has one entry too many, at t + 1
      const float a = own(t)[t], b = own(t)[t + 1];
      const float r = std::sqrt(a * a + b * b), c = a / r, s = b / r;
      for (Index i = t; i + 1 < size_; ++i) {
        const float x = own(i)[t], y = own(i)[t + 1];
        own(i)[t] = c * x + s * y;
        own(i)[t + 1] = c * y - s * x;
      }
      rotate(t, c, s);
    }
    --size_;
  }

  /// x <- L^-1 x, x <- L^-T x.
  void solve_lower(float* x) const { simd_.solve_lower(size_, rows_.data(), stride_, x); }
  void solve_upper(float* x) const { simd_.solve_upper(size_, rows_.data(), stride_, x); }

  /// A row length for which rows start one line of the cache after another and do not compete.
  static Index staggered(Index n) { return (n + 63) / 64 * 64 + 16; }

 private:
  // Share of an atom's square outside the span of the others below which float32 is lost.
  static constexpr float kDependent = 1e-4F;

  float* own(Index i) { return rows_.data() + i * stride_; }

  const simd::Kernels<float>& simd_ = simd::kernels<float>();
  Index deepest_;
  Index stride_;
  Index size_ = 0;
  AlignedVector<float> rows_;
};

}  // namespace nodl
