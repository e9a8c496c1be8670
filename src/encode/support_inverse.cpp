#include "encode/support_inverse.h"

#include <algorithm>
#include <cmath>

namespace nodl {
namespace {

constexpr Index kFirstStride = 32;  // what usual codes need: short rows stay in the cache

/// Room for vectors of any length.
Index roomy(Index n) { return (n + 15) / 16 * 16; }

}  // namespace

SupportInverse::SupportInverse(Index deepest)
    : simd_(simd::kernels<float>()),
      deepest_(deepest),
      stride_(kFirstStride),
      rows_(stride_ * stride_),
      zeros_(padded(deepest)),
      products_(roomy(deepest)),
      along_(deepest),
      projected_(deepest),
      combined_(roomy(deepest)) {}

void SupportInverse::widen() {
  const Index wide = 2 * stride_;
  AlignedVector<float> rows(wide * wide);
  for (Index t = 0; t < size_; ++t) std::copy_n(row(t), stride_, rows.data() + t * wide);
  rows_ = std::move(rows);
  stride_ = wide;
}

// With l the atom's components and r what is left of it, M gets the row (-l^T M, 1) / r.
void SupportInverse::push(const float* along, Index step, float inverse_rest) {
  if (size_ == stride_) widen();
  for (Index t = 0; t < size_; ++t) along_[t] = along[t * step];
  float* m = own(size_);
  const Index written = padded(size_);
  simd_.subtract_rows(
      written, size_, rows_.data(), stride_, along_.data(), inverse_rest, zeros_.data(), m);
  std::fill(m + written, m + stride_, 0.0F);
  m[size_++] = inverse_rest;
}

// As push() with l = M G_Aj, where M^T l is made along with it.
bool SupportInverse::enter(float square) {
  if (size_ == stride_) widen();
  std::fill(products_.begin() + size_, products_.begin() + roomy(size_), 0.0F);
  simd_.project_and_combine(
      size_, rows_.data(), stride_, products_.data(), along_.data(), combined_.data());
  const float rest = square - simd_.dot(along_.data(), along_.data(), size_);
  if (!(rest > kDependent * square)) return false;
  const float inverse_rest = 1 / std::sqrt(rest);
  float* m = own(size_);
  for (Index i = 0; i < size_; ++i) m[i] = -inverse_rest * combined_[i];
  std::fill(m + size_, m + stride_, 0.0F);
  m[size_++] = inverse_rest;
  return true;
}

// Column `position` of M is rotated into the last row, which then is the only one that needs the
// atom.
void SupportInverse::leave(Index position, float* carried) {
  for (Index t = position; t + 1 < size_; ++t) {
    float *a = own(t), *b = own(t + 1);
    const float x = a[position], y = b[position];
    const float shrink = 1 / std::sqrt(x * x + y * y);
    const float c = y * shrink, s = -x * shrink;
    simd_.rotate(padded(t + 2), c, s, a, b);
    std::copy(a + position + 1, a + t + 2, a + position);
    a[t + 1] = 0;
    const float u = carried[t], v = carried[t + 1];
    carried[t] = c * u + s * v;
    carried[t + 1] = c * v - s * u;
  }
  --size_;
}

void SupportInverse::combine(const float* z, float* a) const {
  simd_.subtract_rows(padded(size_), size_, rows_.data(), stride_, z, -1, zeros_.data(), a);
}

void SupportInverse::solve(float* x) const {
  for (Index t = 0; t < size_; ++t) {
    projected_[t] = simd_.dot(rows_.data() + t * stride_, x, t + 1);
  }
  combine(projected_.data(), combined_.data());
  std::copy_n(combined_.data(), size_, x);
}

}  // namespace nodl
