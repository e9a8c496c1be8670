// Steps 12-19 the plain way: a dense dictionary, one matrix-vector product an atom. What the update
// of sparse atoms is measured against.
#pragma once

#include <algorithm>

#include "nodl/memory.h"
#include "nodl/options.h"
#include "nodl/prox.h"
#include "simd/kernels.h"

namespace nodl::bench {

/// Sweeps over D (m x k) until it changes by less than the tolerance; returns their number.
template <class Scalar>
Index plain_update(Matrix<Scalar>& D,
                   const Memory& memory,
                   const UpdateOptions& options,
                   const BisectionOptions& bisection) {
  const Index m = D.rows(), k = D.cols();
  const Matrix<Scalar> A = memory.A().template cast<Scalar>();
  const Matrix<Scalar> B = memory.B().template cast<Scalar>();
  const Scalar faded = A.diagonal().maxCoeff() * Scalar(1e-12);
  const bool penalised = options.atom_nonzeros < m || options.group_penalty > 0;
  const bool zero_unused = options.unused_atoms == UnusedAtoms::Zero ||
                           (options.unused_atoms == UnusedAtoms::Exact && penalised);
  const bool skip_dead = options.dead_atoms == DeadAtoms::Skip && options.group_penalty > 0;
  Vector<Scalar> u(m);
  const std::span<Scalar> column(u.data(), static_cast<std::size_t>(m));
  Scalar change = 0;
  Index sweeps = 0;
  do {
    change = 0;
    for (Index j = 0; j < k; ++j) {
      const Scalar a = A(j, j);
      if (skip_dead && D.col(j).isZero(0)) continue;
      if (a == 0 && zero_unused) {
        u.setZero();
      } else if (a == 0 || a < faded) {
        continue;
      } else {
        simd::kernels<Scalar>().subtract_rows(
            m, k, D.data(), m, A.col(j).data(), Scalar(1), B.col(j).data(), u.data());
        u = D.col(j) + u / a;
        if (options.atom_nonzeros < m) {
          const Scalar lambda =
              options.atom_threshold == AtomThreshold::Exact
                  ? threshold_by_selection<Scalar>(column, options.atom_nonzeros)
                  : threshold_by_bisection<Scalar>(column, options.atom_nonzeros, bisection);
          if (lambda > 0) soft_threshold<Scalar>(column, lambda);
        }
        if (options.group_penalty > 0) {
          group_shrink<Scalar>(column, static_cast<Scalar>(options.group_penalty));
        }
        project_to_ball<Scalar>(column);
      }
      change = std::max(change, (u - D.col(j)).template lpNorm<Eigen::Infinity>());
      D.col(j) = u;
    }
    ++sweeps;
  } while (sweeps < options.max_sweeps && change >= static_cast<Scalar>(options.tolerance));
  return sweeps;
}

}  // namespace nodl::bench
