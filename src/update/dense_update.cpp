// Dense atoms: most of step 14 is one matrix product per panel of atoms; only the corrections
// inside the panel are made one atom after the other. Same result as the plain order, to rounding.
#include <array>
#include <cmath>
#include <type_traits>

#include "blas.h"
#include "simd/kernels.h"
#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

constexpr Index kPanel = 64;  // atoms

/// Rows in a piece of work, which is half the columns of a panel: enough for a good product, few
/// enough that two threads, of which one takes the turns meanwhile, end together.
Index rows_at_once(Index m) {
  constexpr Index kUnit = 16, kMost = 512;
  const Index blocks = std::clamp<Index>(m / 48, 1, 8);
  const Index rows = ((m + blocks - 1) / blocks + kUnit - 1) / kUnit * kUnit;
  return std::min(rows, kMost);
}

/// A power of two that brings the memories, sums of squares, into the range of float32.
double scale_for(double largest_a_jj) {
  if (!(largest_a_jj > 0)) return 1;
  int exponent = 0;
  std::frexp(largest_a_jj, &exponent);
  return std::ldexp(1.0, -exponent);
}

/// A in the precision of the atoms.
template <class Scalar>
class ScaledA {
 public:
  ScaledA(const Matrix<double>& A, double scale, ThreadPool& pool) : copy_(A.rows(), A.cols()) {
    const auto& simd = simd::kernels<Scalar>();
    pool.run((A.cols() + kPanel - 1) / kPanel, [&](Index panel, int) {
      const Index first = panel * kPanel, count = std::min(kPanel, A.cols() - first);
      simd.scaled_copy(count * A.rows(), scale, A.col(first).data(), copy_.col(first).data());
    });
  }
  const Matrix<Scalar>& matrix() const { return copy_; }

 private:
  Matrix<Scalar> copy_;
};
template <>
class ScaledA<double> {
 public:
  ScaledA(const Matrix<double>& A, double, ThreadPool&) : A_(A) {}
  const Matrix<double>& matrix() const { return A_; }

 private:
  const Matrix<double>& A_;
};

/// Atoms whose turns follow each other, with R = B - D A for them as their turns begin.
template <class Scalar>
struct Panel {
  explicit Panel(Index m) : R(m, kPanel) {}

  void start(Index first_atom, Index atoms) {
    first = first_atom;
    count = std::min(kPanel, atoms - first);
  }
  Index past() const { return first + count; }

  Index first = 0, count = 0;
  Matrix<Scalar> R;
};

template <class Scalar>
class DenseUpdate {
 public:
  DenseUpdate(Dictionary<Scalar>& dictionary,
              const Memory& memory,
              const UpdateOptions& options,
              const BisectionOptions& bisection,
              ThreadPool& pool)
      : memory_(memory),
        options_(options),
        bisection_(bisection),
        pool_(pool),
        D_(dictionary.dense_block()),
        row_block_(rows_at_once(D_.rows())),
        change_(D_.rows(), kPanel),
        u_(D_.rows()),
        largest_a_jj_(D_.cols() > 0 ? memory.A().diagonal().maxCoeff() : 0),
        scale_(std::is_same_v<Scalar, double> ? 1 : scale_for(largest_a_jj_)),
        A_(memory.A(), scale_, pool),
        rules_(options, D_.rows(), largest_a_jj_, dictionary.alive()) {}

  // The products for a panel are made while the panel before it takes its turns, without that
  // panel's atoms, which are added when they are known.
  UpdateResult run() {
    const Index k = D_.cols();
    Panel<Scalar> here(D_.rows()), next(D_.rows());
    UpdateResult result;
    while (result.sweeps < options_.max_sweeps && !result.converged) {  // Alg.1 step 12
      result.change = 0;
      here.start(0, k);
      pool_.run(pieces(), [&](Index piece, int) {
        take_B(here, piece);
        subtract_atoms(here, piece, 0, k);
      });
      while (here.count > 0) {
        next.start(here.past(), k);
        const Index beside = next.count > 0 ? pieces() : 0;
        pool_.run(1 + beside, [&](Index piece, int) {
          if (piece == 0) return take_turns(here, result);
          take_B(next, piece - 1);
          subtract_atoms(next, piece - 1, 0, here.first);
          subtract_atoms(next, piece - 1, here.past(), k);
        });
        pool_.run(beside,
                  [&](Index piece, int) { subtract_atoms(next, piece, here.first, here.past()); });
        std::swap(here, next);
      }
      ++result.sweeps;
      result.converged = result.change < options_.tolerance;  // Alg.1 step 19
    }
    return result;
  }

 private:
  /// Two for each block of rows: one for either half of a panel.
  Index pieces() const { return 2 * ((D_.rows() + row_block_ - 1) / row_block_); }
  Index first_row(Index piece) const { return piece / 2 * row_block_; }
  Index rows(Index piece) const { return std::min(row_block_, D_.rows() - first_row(piece)); }
  static Index first_column(Index piece) { return piece % 2 * (kPanel / 2); }
  static Index columns(const Panel<Scalar>& panel, Index piece) {
    return std::clamp<Index>(panel.count - first_column(piece), 0, kPanel / 2);
  }

  void take_B(Panel<Scalar>& panel, Index piece) const {
    const Index row = first_row(piece), column = first_column(piece);
    for (Index j = column; j < column + columns(panel, piece); ++j) {
      simd_.scaled_copy(rows(piece), scale_, &memory_.B()(row, panel.first + j), &panel.R(row, j));
    }
  }

  /// R -= D_j a_j^T of the atoms first <= j < past.
  void subtract_atoms(Panel<Scalar>& panel, Index piece, Index first, Index past) const {
    const Index row = first_row(piece), column = first_column(piece);
    const Index width = columns(panel, piece);
    if (first == past || width == 0) return;
    blas::gemm(false,
               false,
               rows(piece),
               width,
               past - first,
               Scalar(-1),
               &D_(row, first),
               D_.rows(),
               &A_.matrix()(first, panel.first + column),
               A_.matrix().rows(),
               Scalar(1),
               &panel.R(row, column),
               D_.rows());
  }

  void take_turns(Panel<Scalar>& panel, UpdateResult& result) {
    const Index m = D_.rows();
    std::array<const Scalar*, kPanel> changed{};
    std::array<Index, kPanel> changer{};
    std::array<Scalar, kPanel> weight{};
    Index changes = 0;
    for (Index t = 0; t < panel.count; ++t) {  // Alg.1 step 13
      const Index j = panel.first + t;
      const double a_jj = memory_.A()(j, j);
      const bool was_zero = D_.col(j).isZero(0);
      const auto action = rules_.action(a_jj, was_zero);
      if (action == TurnRules::Action::Leave) continue;
      Scalar scale = 1;
      if (action == TurnRules::Action::Zero) {
        u_.setZero();
      } else {
        Scalar* r = panel.R.col(t).data();
        for (Index l = 0; l < changes; ++l) weight[l] = A_.matrix()(changer[l], j);
        simd_.residual(m, changes, changed.data(), weight.data(), r, r);
        const Scalar inverse = static_cast<Scalar>(1 / (a_jj * scale_));
        simd_.add_scaled(m, D_.col(j).data(), inverse, r, u_.data());  // Alg.1 step 14
        scale = sparsify_shrink_scale<Scalar>({u_.data(), static_cast<std::size_t>(m)},
                                              options_,
                                              bisection_);  // Alg.1 steps 15-17
      }
      const bool is_zero = u_.isZero(0);
      if (is_zero && !was_zero) {
        if (rules_.refuses_death()) continue;
        rules_.died();
      } else if (!is_zero && was_zero) {
        rules_.revived();
      }
      Scalar* step = change_.col(changes).data();
      const Scalar largest = simd_.replace(m, scale, u_.data(), D_.col(j).data(), step);
      result.change = std::max(result.change, static_cast<double>(largest));
      changer[changes] = j;
      changed[changes++] = step;
    }
  }

  const simd::Kernels<Scalar>& simd_ = simd::kernels<Scalar>();
  const Memory& memory_;
  const UpdateOptions& options_;
  const BisectionOptions& bisection_;
  ThreadPool& pool_;
  Matrix<Scalar>& D_;
  Index row_block_;
  Matrix<Scalar> change_;  // new minus old atoms of a panel
  Vector<Scalar> u_;
  double largest_a_jj_;
  double scale_;  // of A and B, which does not matter to step 14
  ScaledA<Scalar> A_;
  TurnRules rules_;
};

}  // namespace

template <class Scalar>
UpdateResult update_dense(Dictionary<Scalar>& dictionary,
                          const Memory& memory,
                          const UpdateOptions& options,
                          const BisectionOptions& bisection,
                          ThreadPool& pool) {
  const blas::SerialSection serial(pool.threads());
  return DenseUpdate<Scalar>(dictionary, memory, options, bisection, pool).run();
}

template UpdateResult update_dense(
    Dictionary<double>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);
template UpdateResult update_dense(
    Dictionary<float>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);

}  // namespace nodl
