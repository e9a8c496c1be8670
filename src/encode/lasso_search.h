// The LASSO at a given lambda, in float32, on a working set of atoms: the fast way to the support
// and the signs. What it finds is checked by whoever asks; where it gives up or errs, slower exact
// solvers take over.
#pragma once

#include "encode/projected_set.h"

namespace nodl {

class LassoSearch {
 public:
  explicit LassoSearch(const Matrix<float>& gram);

  /// Solves for q = D^T x (k numbers). False if it gave up.
  bool solve(const float* q, float lambda);

  Index size() const { return set_.size(); }
  RowIndex atom(Index i) const { return set_.atom(i); }
  float sign(Index i) const { return sign_[i]; }
  float value(Index i) const { return value_[i]; }
  /// q - G a for all atoms; of the support, lambda times the sign.
  const std::vector<float>& correlations() const { return c_; }
  /// x <- G_AA^-1 x for the support found.
  void solve_support(float* x) const {
    set_.solve_lower(x);
    set_.solve_upper(x);
  }

 private:
  void pick_working_set(float lambda, float lambda_max);
  bool extend_working_set(float lambda);
  Index find_above(float least, float largest, Index most);
  void append(Index count, float lambda);
  bool solve_working_set(float lambda);
  bool enter(Index slot, float lambda, Index& next);
  Index drop(Index position, float lambda);
  Index wrong_sign() const;
  float distance_from_boundary(float lambda) const;
  bool refine(const float* q, float lambda);

  const simd::Kernels<float>& simd_;
  ProjectedSet set_;
  bool whole_;  // the working set is the whole dictionary
  float tolerance_ = 0;
  Index steps_left_ = 0;
  std::vector<float> c_;                 // of all atoms
  std::vector<float> c_w_, bound_;       // of the working set
  std::vector<float> z_;                 // L^-1 (q_A - lambda s)
  std::vector<float> sign_, value_, g_;  // of the support
  std::vector<RowIndex> found_;
};

}  // namespace nodl
