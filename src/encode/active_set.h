// The LASSO at one lambda, solved exactly from any start: support and signs are changed one atom at
// a time, each time to the minimiser for them or to the first sign change on the way (feature-sign
// search; Lee, Battle, Raina, Ng: Efficient sparse coding algorithms, NIPS 2006). Every step lowers
// the objective, so it ends, and at its end the conditions hold.
#pragma once

#include "encode/solver.h"
#include "encode/support_factor.h"

namespace nodl {

template <class Scalar>
class ActiveSetSolver {
 public:
  ActiveSetSolver(const Matrix<Scalar>& gram, Scalar resolution, CodeSign sign = CodeSign::Any);

  /// Improves `code` (the start) until it solves the LASSO for q = D^T x and lambda.
  void solve(const Scalar* q, Scalar lambda, Scalar lambda_max, SampleCode<Scalar>& code);

 private:
  void start_from(const SampleCode<Scalar>& code);
  Scalar express(Index j);
  bool exchange(Index j, Scalar value, Scalar way);
  bool to_minimiser(const Scalar* q, Scalar lambda);
  void refine(const Scalar* q, Scalar lambda);
  bool drop_wrong_signs();
  void drop_position(Index position);

  const Matrix<Scalar>* G_;
  CodeSign allowed_sign_;
  SupportFactor<Scalar> factor_;
  std::vector<Scalar> value_;  // of the support, in its order
  std::vector<Scalar> sign_;
  std::vector<Scalar> work_;
  std::vector<Scalar> gradient_;  // c = q - G a, k numbers
};

}  // namespace nodl
