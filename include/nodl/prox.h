// Alg.1 steps 15-17 and Alg. 2. Each function works in place on one column.
#pragma once

#include <span>

#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl {

/// Step 15: sgn(u) (|u| - lambda)_+.
template <class Scalar>
void soft_threshold(std::span<Scalar> u, Scalar lambda);
/// Step 16: v (1 - lambda / |v|_2)_+; a column with norm <= lambda becomes exactly zero.
template <class Scalar>
void group_shrink(std::span<Scalar> v, Scalar lambda);
/// Step 17: w / max(1, |w|_2).
template <class Scalar>
void project_to_ball(std::span<Scalar> w);
/// What step 17 multiplies w by: 1 / max(1, |w|_2).
template <class Scalar>
Scalar ball_scale(std::span<const Scalar> w);

/// Alg. 2: a threshold that leaves about beta nonzeros, by bisection. beta >= nonzeros(u): 0, for
/// which the printed loop would not end. Throws InvalidOptions for beta < 0.
template <class Scalar>
Scalar threshold_by_bisection(std::span<const Scalar> u,
                              Index beta,
                              const BisectionOptions& options);
/// The (beta+1)-th largest |u|; where ties there would leave fewer than beta nonzeros, the next
/// smaller distinct value (or 0), so that the tied ones stay. Linear time on average. Throws
/// InvalidOptions for beta < 0.
template <class Scalar>
Scalar threshold_by_selection(std::span<const Scalar> u, Index beta);

}  // namespace nodl
