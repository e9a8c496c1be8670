#include "encode/projected_set.h"

#include <algorithm>
#include <numeric>

namespace nodl {
ProjectedSet::ProjectedSet(const Matrix<float>& gram, Index room, Index deepest)
    : simd_(simd::kernels<float>()),
      G_(&gram),
      room_(std::min(room, gram.rows())),
      stride_(Triangle::staggered(room_)),
      rows_((std::min(deepest, gram.rows()) + 1) * stride_),
      L_(std::min(deepest, gram.rows())) {}

void ProjectedSet::clear() {
  slot_.clear();
  L_.clear();
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
  if (L_.full()) return false;
  const float* g = G_->col(working_[slot]).data();
  float* next = L_.next_row();
  for (Index i = 0; i < p; ++i) next[i] = row(i)[slot];
  if (!L_.push(g[working_[slot]])) return false;
  const float* l = L_.row(p);
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
  slot_.erase(slot_.begin() + position);
  L_.remove(position, [&](Index t, float c, float s) {
    const float x = carried[t], y = carried[t + 1];
    carried[t] = c * x + s * y;
    carried[t + 1] = c * y - s * x;
    simd_.rotate(width(), c, s, own_row(t), own_row(t + 1));
  });
}

void ProjectedSet::correlate(const float* q, const float* a, float* c) {
  columns_.clear();
  for (Index i = 0; i < size(); ++i) columns_.push_back(G_->col(atom(i)).data());
  if (c != q) std::copy_n(q, G_->rows(), c);
  simd_.subtract_columns(G_->rows(), size(), columns_.data(), a, c);
}

}  // namespace nodl
