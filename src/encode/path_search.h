// The LASSO path down to a wanted number of nonzeros (LARS with drops), in float32, on a working
// set of atoms that is renewed as the path goes on. What it finds is checked by whoever asks.
#pragma once

#include "encode/solver.h"
#include "encode/support_inverse.h"

namespace nodl {

class PathSearch {
 public:
  /// `deepest`: the largest number of nonzeros that will be asked for.
  PathSearch(const Matrix<float>& gram, Index deepest);

  /// Follows the path for q = D^T x (k numbers) from lambda_max down. False if it gave up.
  bool solve(const float* q, const CodeTarget& target);

  float lambda() const { return lambda_; }
  Index size() const { return static_cast<Index>(support_.size()); }
  RowIndex atom(Index i) const { return support_[i]; }
  float sign(Index i) const { return sign_[i]; }
  float value(Index i) const { return value_[i]; }
  /// q - G a for all atoms; of the support, lambda times the sign.
  const AlignedVector<float>& correlations() const { return c_; }
  /// The atom that would be one too many, -1 if lambda was reached first.
  RowIndex next_atom() const { return next_atom_; }
  /// By how much its correlation falls as lambda falls by one.
  float next_slope() const { return next_slope_; }
  /// x <- G_AA^-1 x for the support found.
  void solve_support(float* x) const { inverse_.solve(x); }

 private:
  struct Event {
    enum Kind { Join, Drop, Look, End } kind = End;
    Index index = -1;  // place among the watched that joins, position in the support that drops
    float step = 0;    // by which lambda falls until then
  };
  Event next_event(float last) const;
  void fall(float step);
  bool join(Index watched);
  void drop(Index position);
  void turn();
  void watch(const RowIndex* atoms, Index count);
  void unwatch(Index watched);
  bool renew(const float* q);
  bool finish(const float* q);
  void correlate(const float* q);
  void refine();
  bool inside() const;
  void look_ahead();

  const simd::Kernels<float>& simd_;
  const Matrix<float>* G_;
  float lambda_ = 0, tolerance_ = 0;
  float horizon_ = 0;  // lambda at which all atoms have to be looked at again

  std::vector<RowIndex> support_;
  SupportInverse inverse_;  // M
  AlignedVector<float> z_;  // M s
  AlignedVector<float> sign_, value_, g_;
  AlignedVector<float> direction_;  // in which coefficients go as lambda falls: M^T z

  // Atoms that are watched. Row i of the support holds their G_ij; rows are padded with zeros.
  std::vector<RowIndex> watched_;
  Index stride_;
  AlignedVector<float> rows_;
  std::vector<float*> row_;       // of the support, in its order; those after it are free
  AlignedVector<float> c_w_, e_;  // correlations, and by which they fall as lambda falls by one

  AlignedVector<float> c_, slope_, urgency_;  // of all atoms, when last looked at
  std::vector<RowIndex> place_, found_;
  std::vector<const float*> columns_;
  RowIndex next_atom_ = -1;
  float next_slope_ = 0;
};

}  // namespace nodl
