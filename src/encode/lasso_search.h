// The LASSO at a given lambda, in float32, on a working set of atoms: the fast way to the support
// and the signs. What it finds is checked by whoever asks; where it gives up or errs, slower exact
// solvers take over.
#pragma once

#include <optional>

#include "encode/support_inverse.h"

namespace nodl {

class LassoSearch {
 public:
  explicit LassoSearch(const Matrix<float>& gram);

  /// Solves for q = D^T x (k numbers). False if it gave up.
  bool solve(const float* q, float lambda);

  /// What an exact look at the solution can tell: an atom with correlation c violates the
  /// conditions, by less than float32 can see, or an atom of the support, by its number, has the
  /// wrong sign. It joins or leaves, and those leave whose signs that turns. False if it cannot
  /// join.
  bool admit(RowIndex atom, float c);
  void dismiss(Index i);

  Index size() const { return inverse_.size(); }
  RowIndex atom(Index i) const { return whole_ ? slot_[i] : working_[slot_[i]]; }
  float sign(Index i) const { return sign_[i]; }
  float value(Index i) const { return value_[i]; }
  /// q - G a for all atoms; of the support, lambda times the sign.
  const AlignedVector<float>& correlations() const { return c_; }
  /// x <- G_AA^-1 x for the support found.
  void solve_support(float* x) const { inverse_.solve(x); }

 private:
  void clear();
  void pick_working_set(float lambda_max);
  bool extend_working_set();
  Index find_above(float least, float largest, Index most);
  void append(Index count);
  bool solve_working_set();
  bool enter(const RowIndex* slots, Index count);
  void drop_wrong_signs(bool only_worst);
  void drop(Index position);
  std::optional<RowIndex> slot_for(RowIndex atom);
  void correlate_working_set();
  void correlate_all();
  float distance_from_boundary() const;
  bool refine();

  Index working() const { return static_cast<Index>(whole_ ? c_.size() : working_.size()); }
  Index width() const { return whole_ ? working() : padded(working()); }
  static Index padded(Index n) { return (n + 15) / 16 * 16; }
  const float* fetch_column(RowIndex slot);
  void release_column(const float* column);

  const simd::Kernels<float>& simd_;
  const Matrix<float>& G_;
  const bool whole_;  // the working set is the whole dictionary: slots are atoms
  const Index room_;  // atoms in the working set
  const float* q_ = nullptr;
  float lambda_ = 0;
  float tolerance_ = 0;
  int rounds_ = 0;
  AlignedVector<float> c_;  // of all atoms

  // The working set: atoms by slot, q, c and what |c| may be of each.
  std::vector<RowIndex> working_;
  AlignedVector<float> q_w_, c_w_, bound_;
  // Columns of the Gram matrix, as much of them as belongs to the working set, and which are free.
  AlignedVector<float> columns_;
  std::vector<float*> free_columns_;

  // The support: slots, signs, columns; z = L^-1 (q_A - lambda s), a = L^-T z.
  SupportInverse inverse_;
  std::vector<RowIndex> slot_;
  std::vector<const float*> column_;
  AlignedVector<float> sign_, z_, value_;

  // Room for a group of entering atoms: their Gram columns at the support, components, and the
  // rest.
  AlignedVector<float> inner_, along_;
  std::vector<RowIndex> found_;
  std::vector<const float*> gram_columns_;
  AlignedVector<float> g_;
};

}  // namespace nodl
