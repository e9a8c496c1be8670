// Dense atoms: most of step 14 is one matrix product per panel of atoms; only the corrections
// inside the panel are made one atom after the other. Same result as the plain order, to rounding.
#include <array>
#include <cmath>
#include <type_traits>

#include "simd/kernels.h"
#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

constexpr Index kPanel = 32;  // atoms
constexpr Index kBlock = 8;   // atoms whose A and B a thread has at hand, because it made them
constexpr Index kBlocks = kPanel / kBlock;
// Where a dictionary is too large to be read for each block, a piece of work is all atoms of a
// panel and some rows instead: whole tiles of the product and, if columns begin at one, whole lines
// of the cache.
template <class Scalar>
constexpr Index kRows = 192 / sizeof(Scalar);
constexpr Index kNearBytes = 1 << 19;

/// A power of two that brings the memories, sums of squares, into the range of float32.
double scale_for(double largest_a_jj) {
  if (!(largest_a_jj > 0)) return 1;
  int exponent = 0;
  std::frexp(largest_a_jj, &exponent);
  return std::ldexp(1.0, -exponent);
}

/// A in the precision of the atoms, made column by column shortly before each is used.
template <class Scalar>
class ScaledA {
 public:
  ScaledA(const Matrix<double>& A, double scale)
      : A_(A), scale_(scale), copy_(A.rows(), A.cols()) {}
  void make(Index j) {
    simd::kernels<Scalar>().scaled_copy(A_.rows(), scale_, A_.col(j).data(), copy_.col(j).data());
  }
  const Matrix<Scalar>& matrix() const { return copy_; }

 private:
  const Matrix<double>& A_;
  double scale_;
  Matrix<Scalar> copy_;
};
template <>
class ScaledA<double> {
 public:
  ScaledA(const Matrix<double>& A, double) : A_(A) {}
  void make(Index) {}
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
        by_rows_(D_.size() * static_cast<Index>(sizeof(Scalar)) > kNearBytes ||
                 !simd::columns_are_near<Scalar>(D_.rows())),
        pieces_(by_rows_ ? (D_.rows() + kRows<Scalar> - 1) / kRows<Scalar> : kBlocks),
        change_(D_.rows(), kPanel),
        u_(D_.rows()),
        largest_a_jj_(D_.cols() > 0 ? memory.A().diagonal().maxCoeff() : 0),
        scale_(std::is_same_v<Scalar, double> ? 1 : scale_for(largest_a_jj_)),
        A_(memory.A(), scale_),
        rules_(options, D_.rows(), largest_a_jj_, dictionary.alive()) {}

  // While a panel takes its turns, which take longest and are begun first, R for the next one is
  // made, without the atoms that are changing; and A for the one after.
  UpdateResult run() {
    const Index k = D_.cols();
    Panel<Scalar> here(D_.rows()), next(D_.rows()), after(D_.rows());
    UpdateResult result;
    while (result.sweeps < options_.max_sweeps && !result.converged) {  // Alg.1 step 12
      const Index copies = kCopiesA && result.sweeps == 0 ? kBlocks : 0;
      result.change = 0;
      here.start(0, k);
      next.start(here.past(), k);
      pool_.run_dealt(copies, [&](Index piece, int) { copy_A(here, piece); });
      pool_.run_dealt(pieces_ + copies, [&](Index piece, int) {
        if (piece >= pieces_) return copy_A(next, piece);
        const Part part = part_of(here, piece);
        start_residual(here, part);
        subtract_atoms(here, part, 0, k);
      });
      Index missing = here.first;  // products of the atoms from here to the panel are still to come
      while (here.count > 0) {
        after.start(next.past(), k);
        const Index beside = next.count > 0 ? pieces_ : 0;
        pool_.run_dealt(1 + beside + (after.count > 0 ? copies : 0), [&](Index piece, int) {
          if (piece > beside) return copy_A(after, piece);
          if (piece > 0) {
            const Part part = part_of(next, piece);
            start_residual(next, part);
            subtract_atoms(next, part, 0, here.first);
            return subtract_atoms(next, part, here.past(), k);
          }
          subtract_atoms(here, {0, D_.rows(), 0, here.count}, missing, here.first);
          take_turns(here, result);
        });
        missing = here.first;
        std::swap(here, next);
        std::swap(next, after);
      }
      ++result.sweeps;
      result.converged = result.change < options_.tolerance;  // Alg.1 step 19
    }
    return result;
  }

 private:
  static constexpr bool kCopiesA = !std::is_same_v<Scalar, double>;

  /// Of a panel's R.
  struct Part {
    Index row, rows, first, atoms;
  };
  /// Numbers of pieces may go beyond their count and begin again: threads are dealt the blocks
  /// whose A and B they made, and whose A they copied, so that little moves between them.
  Part part_of(const Panel<Scalar>& panel, Index piece) const {
    if (by_rows_) {
      const Index row = piece % pieces_ * kRows<Scalar>;
      return {row, std::min(kRows<Scalar>, D_.rows() - row), 0, panel.count};
    }
    const Index first = block_of(piece) * kBlock;
    return {0, D_.rows(), first, std::clamp<Index>(panel.count - first, 0, kBlock)};
  }
  static Index block_of(Index piece) { return piece % kBlocks; }

  void copy_A(const Panel<Scalar>& panel, Index piece) {
    const Index first = block_of(piece) * kBlock;
    for (Index t = first; t < std::min(panel.count, first + kBlock); ++t) A_.make(panel.first + t);
  }

  /// R = B.
  void start_residual(Panel<Scalar>& panel, const Part& part) const {
    for (Index t = part.first; t < part.first + part.atoms; ++t) {
      const double* b = &memory_.B()(part.row, panel.first + t);
      simd_.scaled_copy(part.rows, scale_, b, &panel.R(part.row, t));
    }
  }

  /// R -= D_j a_j^T of the atoms first <= j < past.
  void subtract_atoms(Panel<Scalar>& panel, const Part& part, Index first, Index past) const {
    if (first == past || part.atoms == 0) return;
    const Index m = D_.rows(), k = D_.cols();
    simd::multiply<Scalar>(simd::Product::Subtract,
                           part.rows,
                           part.atoms,
                           past - first,
                           {&D_(part.row, first), m},
                           {&A_.matrix()(first, panel.first + part.first), k},
                           &panel.R(part.row, part.first),
                           m);
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
        const Scalar* a = A_.matrix().col(j).data();
        for (Index l = 0; l < changes; ++l) weight[l] = a[changer[l]];
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
  bool by_rows_;
  Index pieces_;           // of work that make R of a panel
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
  return DenseUpdate<Scalar>(dictionary, memory, options, bisection, pool).run();
}

template UpdateResult update_dense(
    Dictionary<double>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);
template UpdateResult update_dense(
    Dictionary<float>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);

}  // namespace nodl
