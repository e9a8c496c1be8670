// The LASSO path of one sample: LARS with drops, in QR form (Efron, Hastie, Johnstone, Tibshirani:
// Least angle regression, 2004; Osborne, Presnell, Turlach, 2000).
#pragma once

#include "encode/active_set.h"
#include "encode/projections.h"
#include "encode/solver.h"
#include "simd/kernels.h"

namespace nodl {

template <class Scalar>
class LarsSolver {
 public:
  LarsSolver(const Matrix<Scalar>& gram, Scalar resolution, CodeSign sign = CodeSign::Any);

  /// Follows the path from lambda_max down for q = D^T x (k numbers).
  void solve(const Scalar* q, const CodeTarget& target, SampleCode<Scalar>& code);

 private:
  struct Event {
    enum Kind { Join, Drop, End } kind = End;
    Index index = -1;  // atom that joins, position that drops
    Scalar step = 0;   // by which lambda falls until then
  };
  Event next_event(Scalar last_lambda);
  simd::Meeting<Scalar> first_meeting(Scalar within) const;
  void join(Index j);
  void drop(Index position);
  void drop_idle();
  void fall(Scalar step);
  void update_direction();
  bool certify(const Scalar* q, Scalar lambda_max);
  void repair(const Scalar* q, Scalar lambda_max, Index nonzeros, SampleCode<Scalar>& code);

  const simd::Kernels<Scalar>& simd_;
  const Matrix<Scalar>* G_;
  Scalar resolution_;
  CodeSign allowed_sign_;
  Projections<Scalar> projections_;
  ActiveSetSolver<Scalar> repair_;
  Scalar lambda_ = 0;
  std::vector<Scalar> c_;                       // correlations of all atoms with the residual
  std::vector<Scalar> e_;                       // by which they fall as lambda falls by one
  std::vector<Scalar> value_;                   // of the support
  std::vector<Scalar> sign_;                    // of the support
  std::vector<Scalar> z_;                       // L^-1 s
  std::vector<Scalar> direction_;               // G_AA^-1 s
  std::vector<std::pair<Index, Scalar>> tied_;  // atoms that depend on the support, with their sign
  struct Resting {
    Index index;
    Scalar sign;
    Scalar c, e;  // set aside while the next event is looked for
  };
  std::vector<Resting> resting_;  // dropped since lambda last fell
  std::vector<Scalar> work_;
};

}  // namespace nodl
