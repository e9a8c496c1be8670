#include "encode/projected_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nodl {
namespace {

// Rows that start one line of the cache after another, so that they do not compete for it.
Index staggered(Index n) { return (n + 63) / 64 * 64 + 16; }

// Share of an atom's square outside the span of the support below which float32 is lost.
constexpr float kDependent = 1e-4F;

}  // namespace

ProjectedSet::ProjectedSet(const Matrix<float>& gram, Index room, Index deepest)
    : simd_(simd::kernels<float>()),
      G_(&gram),
      room_(std::min(room, gram.rows())),
      deepest_(std::min(deepest, gram.rows())),
      stride_(staggered(room_)),
      depth_(staggered(deepest_)),
      rows_((deepest_ + 1) * stride_),
      factor_(deepest_ * depth_) {
  working_.reserve(room_);
  slot_.reserve(deepest_);
  columns_.reserve(deepest_);
}

void ProjectedSet::clear() {
  slot_.clear();
  if (!whole_) working_.clear();
}

void ProjectedSet::append_all() {
  if (whole_) return;
  working_.resize(G_->rows());
  std::iota(working_.begin(), working_.end(), RowIndex(0));
  whole_ = true;
}

void ProjectedSet::append(const RowIndex* atoms, Index count) {
  const Index before = working(), wide = padded(before + count) - before;
  working_.insert(working_.end(), atoms, atoms + count);
  for (Index i = 0; i < size(); ++i) {
    float* w = own_row(i) + before;
    simd_.gather(G_->col(atom(i)).data(), atoms, count, w);
    std::fill_n(w + count, wide - count, 0.0F);
    const float* l = factor(i);
    simd_.subtract_rows(wide, i, rows_.data() + before, stride_, l, 1 / l[i], w, w);
  }
}

bool ProjectedSet::enter(Index slot) {
  const Index p = size(), n = working();
  if (p == deepest_) return false;
  const float* g = G_->col(working_[slot]).data();
  const float own = g[working_[slot]];
  float* l = own_factor(p);
  float square = own;
  for (Index i = 0; i < p; ++i) {
    l[i] = row(i)[slot];
    square -= l[i] * l[i];
  }
  if (!(square > kDependent * own)) return false;
  l[p] = std::sqrt(square);
  float* w = own_row(p);
  if (whole_) {
    simd_.subtract_rows(n, p, rows_.data(), stride_, l, 1 / l[p], g, w);
    std::fill_n(w + n, width() - n, 0.0F);
  } else {
    simd_.gather(g, working_.data(), n, w);
    std::fill_n(w + n, width() - n, 0.0F);
    simd_.subtract_rows(width(), p, rows_.data(), stride_, l, 1 / l[p], w, w);
  }
  slot_.push_back(slot);
  return true;
}

void ProjectedSet::leave(Index position, float* carried) {
  const Index p = size(), n = width();
  slot_.erase(slot_.begin() + position);
  for (Index i = position; i + 1 < p; ++i) std::copy_n(own_factor(i + 1), i + 2, own_factor(i));
  for (Index t = position; t + 1 < p; ++t) {  // row t has one entry too many, at t + 1
    const float a = own_factor(t)[t], b = own_factor(t)[t + 1];
    const float r = std::sqrt(a * a + b * b), c = a / r, s = b / r;
    for (Index i = t; i + 1 < p; ++i) {
      const float x = own_factor(i)[t], y = own_factor(i)[t + 1];
      own_factor(i)[t] = c * x + s * y;
      own_factor(i)[t + 1] = c * y - s * x;
    }
    const float x = carried[t], y = carried[t + 1];
    carried[t] = c * x + s * y;
    carried[t + 1] = c * y - s * x;
    simd_.rotate(n, c, s, own_row(t), own_row(t + 1));
  }
}

void ProjectedSet::correlate(const float* q, const float* a, float* c) {
  columns_.clear();
  for (Index i = 0; i < size(); ++i) columns_.push_back(G_->col(atom(i)).data());
  if (c != q) std::copy_n(q, G_->rows(), c);
  simd_.subtract_columns(G_->rows(), size(), columns_.data(), a, c);
}

}  // namespace nodl
