// Dense atoms: most of step 14 is one matrix product per panel of atoms; only the corrections
// inside the panel are made one atom after the other. Same result as the plain order, to rounding.
#include <array>
#include <cmath>

#include "blas.h"
#include "simd/kernels.h"
#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

constexpr Index kPanel = 64;      // atoms
constexpr Index kRowBlock = 512;  // most rows of a panel that are one piece of work

/// Rows in a piece, so that there are at least two.
Index rows_at_once(Index m) {
  const Index pieces = std::max<Index>(2, (m + kRowBlock - 1) / kRowBlock);
  return ((m + pieces - 1) / pieces + 7) / 8 * 8;
}

}  // namespace

template <class Scalar>
UpdateResult update_dense(Dictionary<Scalar>& dictionary,
                          const Memory& memory,
                          const UpdateOptions& options,
                          const BisectionOptions& bisection,
                          ThreadPool& pool) {
  const blas::SerialSection serial(pool.threads());
  const Index m = dictionary.dimension(), k = dictionary.size();
  const Matrix<double>& A = memory.A();
  const Matrix<double>& B = memory.B();
  Matrix<Scalar>& D = dictionary.dense_block();
  Matrix<Scalar> R(m, kPanel);  // columns b_j - D a_j of the panel, as it began
  Matrix<Scalar> A_panel(k, kPanel);
  Matrix<Scalar> change(m, kPanel);  // new minus old atoms of the panel
  std::array<const Scalar*, kPanel> changed{};
  std::array<Index, kPanel> changer{};
  std::array<Scalar, kPanel> weight{};
  Vector<Scalar> u(m);
  const auto& simd = simd::kernels<Scalar>();
  const Index row_block = rows_at_once(m);
  TurnRules rules(options, m, k > 0 ? A.diagonal().maxCoeff() : 0, dictionary.alive());
  UpdateResult result;
  while (result.sweeps < options.max_sweeps && !result.converged) {  // Alg.1 step 12
    result.change = 0;
    for (Index first = 0; first < k; first += kPanel) {
      const Index count = std::min(kPanel, k - first);
      A_panel.leftCols(count) = A.middleCols(first, count).template cast<Scalar>();
      pool.run((m + row_block - 1) / row_block, [&](Index block, int) {
        const Index row = block * row_block, rows = std::min(row_block, m - row);
        R.block(row, 0, rows, count) = B.block(row, first, rows, count).template cast<Scalar>();
        blas::gemm(false,
                   false,
                   rows,
                   count,
                   k,
                   Scalar(-1),
                   &D(row, 0),
                   m,
                   A_panel.data(),
                   k,
                   Scalar(1),
                   &R(row, 0),
                   m);
      });
      Index changes = 0;
      for (Index t = 0; t < count; ++t) {  // Alg.1 step 13
        const Index j = first + t;
        const bool was_zero = D.col(j).isZero(0);
        const auto action = rules.action(A(j, j), was_zero);
        if (action == TurnRules::Action::Leave) continue;
        if (action == TurnRules::Action::Zero) {
          u.setZero();
        } else {
          for (Index l = 0; l < changes; ++l) weight[l] = A_panel(changer[l], t);
          simd.subtract_columns(m, changes, changed.data(), weight.data(), R.col(t).data());
          u = D.col(j) + R.col(t) / static_cast<Scalar>(A(j, j));  // Alg.1 step 14
          sparsify_shrink_project<Scalar>({u.data(), static_cast<std::size_t>(m)},
                                          options,
                                          bisection);  // Alg.1 steps 15-17
        }
        const bool is_zero = u.isZero(0);
        if (is_zero && !was_zero) {
          if (rules.refuses_death()) continue;
          rules.died();
        } else if (!is_zero && was_zero) {
          rules.revived();
        }
        auto step = change.col(changes);
        step = u - D.col(j);
        result.change =
            std::max(result.change, static_cast<double>(step.template lpNorm<Eigen::Infinity>()));
        D.col(j) = u;
        changer[changes] = j;
        changed[changes++] = step.data();
      }
    }
    ++result.sweeps;
    result.converged = result.change < options.tolerance;  // Alg.1 step 19
  }
  return result;
}

template UpdateResult update_dense(
    Dictionary<double>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);
template UpdateResult update_dense(
    Dictionary<float>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);

}  // namespace nodl
