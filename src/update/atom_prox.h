// Alg.1 steps 15-17 for one column: from u_j to d_j. Soft threshold, group shrinkage and
// projection, in this order, solve  min_d 1/2 |d - u|^2 + lambda_j |d|_1 + lambda_g |d|_2  over
// |d|_2 <= 1 exactly: each later map only rescales what the one before left. Under d >= 0 the same
// holds for the positive part of u.
#pragma once

#include <algorithm>
#include <span>

#include "nodl/options.h"
#include "nodl/prox.h"

namespace nodl {

/// u becomes w; d is w times the number returned, left to the caller, who copies d anyway.
template <class Scalar>
Scalar sparsify_shrink_scale(std::span<Scalar> u,
                             const UpdateOptions& options,
                             const BisectionOptions& bisection) {
  const Index m = static_cast<Index>(u.size());
  if (options.positive_dict) {
    for (Scalar& value : u) value = std::max(value, Scalar(0));
  }
  if (options.atom_nonzeros < m) {  // Alg.1 step 15
    const Scalar lambda = options.atom_threshold == AtomThreshold::Exact
                              ? threshold_by_selection<Scalar>(u, options.atom_nonzeros)
                              : threshold_by_bisection<Scalar>(u, options.atom_nonzeros, bisection);
    if (lambda > 0) soft_threshold<Scalar>(u, lambda);
  }
  if (options.group_penalty > 0) {  // Alg.1 step 16
    group_shrink<Scalar>(u, static_cast<Scalar>(options.group_penalty));
  }
  return ball_scale<Scalar>(u);  // Alg.1 step 17
}

}  // namespace nodl
