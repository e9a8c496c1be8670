// A working set of atoms and a support chosen from it, in float32 and QR form: what the searches of
// the LASSO share.
#pragma once

#include <vector>

#include "encode/triangle.h"

namespace nodl {

/// With D_A = Q L^T for the support A, row i holds q_i^T D_W, the projections of the working set's
/// atoms on direction i (row i of L^-1 G_AW). An atom enters or leaves at the cost of the working
/// set's size times the support's, not k times that.
class ProjectedSet {
 public:
  ProjectedSet(const Matrix<float>& gram, Index room, Index deepest);

  void clear();

  /// Atoms are known by their slot in the working set. Rows are `width()` long, padded with zeros.
  Index working() const { return static_cast<Index>(working_.size()); }
  Index width() const { return padded(working()); }
  Index room() const { return room_; }
  const RowIndex* atoms() const { return working_.data(); }
  void append(const RowIndex* atoms, Index count);
  void append_all();

  Index size() const { return static_cast<Index>(slot_.size()); }
  Index slot(Index i) const { return slot_[i]; }
  RowIndex atom(Index i) const { return working_[slot_[i]]; }
  const float* row(Index i) const { return rows_.data() + i * stride_; }
  const float* factor(Index i) const { return L_.row(i); }

  /// False if the support is full or the atom (nearly) depends on it.
  bool enter(Index slot);
  /// Takes out the atom at a position; `carried` (size() numbers, coordinates in the directions) is
  /// rotated with the directions. The one that goes away is then the last: it stays readable as
  /// row(size()) and carried[size()].
  void leave(Index position, float* carried);

  void solve_lower(float* x) const { L_.solve_lower(x); }
  void solve_upper(float* x) const { L_.solve_upper(x); }
  /// c = q - G_A a, k numbers.
  void correlate(const float* q, const float* a, float* c);

  static Index padded(Index n) { return (n + 15) / 16 * 16; }

 private:
  float* own_row(Index i) { return rows_.data() + i * stride_; }

  const simd::Kernels<float>& simd_;
  const Matrix<float>* G_;
  Index room_;          // atoms in the working set
  Index stride_;        // of rows
  bool whole_ = false;  // the working set is the whole dictionary, in its order
  std::vector<RowIndex> working_;
  std::vector<float> rows_;
  std::vector<Index> slot_;
  Triangle L_;
  std::vector<const float*> columns_;
};

}  // namespace nodl
