// Dense atoms: most of step 14 is one matrix product per panel of atoms; only the corrections
// inside the panel are made one atom after the other. Same result as the plain order, to rounding.
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "atom_panel.h"
#include "relay.h"
#include "simd/kernels.h"
#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

constexpr Index kPanel = kAtomPanel;
// Rows of a strip: whole tiles of the product, and whole lines of the cache. Where a dictionary is
// too large to be read by each thread for itself, a piece of work is all atoms of a panel and one
// strip; or, to copy A, some of its atoms.
template <class Scalar>
constexpr Index kRows = 192 / sizeof(Scalar);
constexpr Index kCopied = 8;
constexpr Index kPanelsAtOnce = 3;  // one that changes, one that is made ready, one copied
constexpr Index kNearBytes = 1 << 19;

/// A power of two that brings the memories, sums of squares, into the range of float32.
double scale_for(double largest_a_jj) {
  if (!(largest_a_jj > 0)) return 1;
  int exponent = 0;
  std::frexp(largest_a_jj, &exponent);
  return std::ldexp(1.0, -exponent);
}

/// A in the precision of the atoms, made column by column shortly before each is used. Only the
/// last few panels are kept, which stay in the cache, where no other sweep needs the others.
template <class Scalar>
class ScaledA {
 public:
  ScaledA(const Matrix<double>& A, double scale, Index panels)
      : A_(A), scale_(scale), copy_(A.rows(), std::min(A.cols(), panels * kPanel)) {}
  void make(Index j) {
    simd::kernels<Scalar>().scaled_copy(A_.rows(), scale_, A_.col(j).data(), column(j));
  }
  const Scalar* col(Index j) const { return copy_.col(j % copy_.cols()).data(); }

 private:
  Scalar* column(Index j) { return copy_.col(j % copy_.cols()).data(); }

  const Matrix<double>& A_;
  double scale_;
  Matrix<Scalar> copy_;
};
template <>
class ScaledA<double> {
 public:
  ScaledA(const Matrix<double>& A, double, Index) : A_(A) {}
  void make(Index) {}
  const double* col(Index j) const { return A_.col(j).data(); }

 private:
  const Matrix<double>& A_;
};

/// The atoms cut into strips of a few rows, one strip after the other: a product reads each from
/// its beginning to its end, however long atoms are. Few short atoms are read where they are.
template <class Scalar>
class Strips {
 public:
  Strips(const Matrix<Scalar>& D, bool near)
      : D_(D), in_place_(near && simd::columns_are_near<Scalar>(D.rows())) {
    if (!in_place_) copy_.resize(kRows<Scalar>, count() * D.cols());
  }

  Index count() const { return (D_.rows() + kRows<Scalar> - 1) / kRows<Scalar>; }
  static Index first_row(Index strip) { return strip * kRows<Scalar>; }
  Index rows(Index strip) const { return std::min(kRows<Scalar>, D_.rows() - first_row(strip)); }

  bool in_place() const { return in_place_; }
  /// After each change of the atom.
  void copy(Index atom) {
    for (Index strip = 0; !in_place_ && strip < count(); ++strip) {
      const Scalar* d = &D_(first_row(strip), atom);
      std::copy_n(d, rows(strip), copy_.col(strip * D_.cols() + atom).data());
    }
  }
  /// The strip from this atom on.
  simd::Factor<Scalar> from(Index strip, Index atom) const {
    if (in_place_) return {&D_(first_row(strip), atom), D_.rows()};
    return {copy_.col(strip * D_.cols() + atom).data(), kRows<Scalar>};
  }

 private:
  const Matrix<Scalar>& D_;
  bool in_place_;
  Matrix<Scalar> copy_;
};

/// Atoms whose turns follow each other, with R = B - D A for them as their turns begin.
template <class Scalar>
struct Panel {
  explicit Panel(Index m) : R(m, kPanel), change(m, kPanel), u(m) {}

  void start(Index first_atom, Index atoms) {
    first = first_atom;
    count = std::min(kPanel, atoms - first);
  }
  Index past() const { return first + count; }

  Index first = 0, count = 0;
  Matrix<Scalar> R;
  Matrix<Scalar> change;  // new minus old atoms
  Vector<Scalar> u;
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
        near_(D_.size() * static_cast<Index>(sizeof(Scalar)) <= kNearBytes),
        strips_(D_, near_),
        panels_(pool.threads()),
        largest_a_jj_(D_.cols() > 0 ? memory.A().diagonal().maxCoeff() : 0),
        scale_(std::is_same_v<Scalar, double> ? 1 : scale_for(largest_a_jj_)),
        A_(memory.A(), scale_, near_ || options.max_sweeps > 1 ? D_.cols() : kPanelsAtOnce),
        rules_(options, D_.rows(), largest_a_jj_, dictionary.alive()) {}

  UpdateResult run() {
    UpdateResult result;
    if (!strips_.in_place()) pool_.run(D_.cols(), [&](Index j, int) { strips_.copy(j); });
    while (result.sweeps < options_.max_sweeps && !result.converged) {  // Alg.1 step 12
      result.change = 0;
      near_ ? sweep_by_panels(result) : sweep_by_strips(result);
      ++result.sweeps;
      result.converged = result.change < options_.tolerance;  // Alg.1 step 19
    }
    return result;
  }

 private:
  static constexpr bool kCopiesA = !std::is_same_v<Scalar, double>;

  // A thread makes R of a panel, without the atoms of the panel before, while another takes the
  // turns of that one; then it adds these atoms and takes the turns of its own. Little moves
  // between threads: new atoms, but neither R nor, if they were dealt alike, A and B.
  void sweep_by_panels(UpdateResult& result) {
    const Index k = D_.cols();
    Relay turns;
    pool_.run_in_order((k + kPanel - 1) / kPanel, [&](Index p, int thread) {
      try {
        if (!panels_[thread]) panels_[thread] = std::make_unique<Panel<Scalar>>(D_.rows());
        Panel<Scalar>& panel = *panels_[thread];
        panel.start(p * kPanel, k);
        const Index before = std::max<Index>(0, panel.first - kPanel);
        for (Index j = panel.first; result.sweeps == 0 && j < panel.past(); ++j) A_.make(j);
        start_residual(panel, 0, D_.rows());
        if (!turns.await(p - 1)) return;
        subtract_atoms(panel, 0, before);
        subtract_atoms(panel, panel.first, k);
        if (!turns.await(p)) return;
        subtract_atoms(panel, before, panel.first);
        take_turns(panel, result);
        turns.hand_over(p + 1);
      } catch (...) {
        turns.give_up();
        throw;
      }
    });
  }

  // While a panel takes its turns, which take longest and are begun first, all threads make R for
  // the next one, without the atoms that are changing; and A for the one after.
  void sweep_by_strips(UpdateResult& result) {
    const Index m = D_.rows(), k = D_.cols();
    const Index strips = strips_.count();
    const Index copies = kCopiesA && result.sweeps == 0 ? kPanel / kCopied : 0;
    Panel<Scalar> here(m), next(m), after(m);
    here.start(0, k);
    next.start(here.past(), k);
    pool_.run_dealt(copies, [&](Index piece, int) { copy_A(here, piece); });
    pool_.run_dealt(strips + copies, [&](Index piece, int) {
      if (piece >= strips) return copy_A(next, piece - strips);
      start_residual(here, strips_.first_row(piece), strips_.rows(piece));
      subtract_atoms(here, piece, 0, k);
    });
    Index missing = here.first;  // products of the atoms from here to the panel are still to come
    while (here.count > 0) {
      after.start(next.past(), k);
      const Index beside = next.count > 0 ? strips : 0;
      pool_.run_dealt(1 + beside + (after.count > 0 ? copies : 0), [&](Index piece, int) {
        if (piece > beside) return copy_A(after, piece - beside - 1);
        if (piece > 0) {
          const Index strip = piece - 1;
          start_residual(next, strips_.first_row(strip), strips_.rows(strip));
          subtract_atoms(next, strip, 0, here.first);
          return subtract_atoms(next, strip, here.past(), k);
        }
        subtract_atoms(here, missing, here.first);
        take_turns(here, result);
      });
      missing = here.first;
      std::swap(here, next);
      std::swap(next, after);
    }
  }

  void copy_A(const Panel<Scalar>& panel, Index piece) {
    const Index first = panel.first + piece * kCopied;
    for (Index j = first; j < std::min(panel.past(), first + kCopied); ++j) A_.make(j);
  }

  /// R = B, in some rows.
  void start_residual(Panel<Scalar>& panel, Index row, Index rows) const {
    for (Index t = 0; t < panel.count; ++t) {
      const double* b = &memory_.B()(row, panel.first + t);
      simd_.scaled_copy(rows, scale_, b, &panel.R(row, t));
    }
  }

  /// R -= D_j a_j^T of the atoms first <= j < past, in the rows of a strip,
  void subtract_atoms(Panel<Scalar>& panel, Index strip, Index first, Index past) const {
    if (first == past || panel.count == 0) return;
    simd::multiply<Scalar>(simd::Product::Subtract,
                           strips_.rows(strip),
                           panel.count,
                           past - first,
                           strips_.from(strip, first),
                           {A_.col(panel.first) + first, D_.cols()},
                           &panel.R(strips_.first_row(strip), 0),
                           D_.rows());
  }
  /// or in all of them.
  void subtract_atoms(Panel<Scalar>& panel, Index first, Index past) const {
    for (Index strip = 0; strip < strips_.count(); ++strip) {
      subtract_atoms(panel, strip, first, past);
    }
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
        panel.u.setZero();
      } else {
        Scalar* r = panel.R.col(t).data();
        const Scalar* a = A_.col(j);
        for (Index l = 0; l < changes; ++l) weight[l] = a[changer[l]];
        simd_.residual(m, changes, changed.data(), weight.data(), r, r);
        const Scalar inverse = static_cast<Scalar>(1 / (a_jj * scale_));
        simd_.add_scaled(m, D_.col(j).data(), inverse, r, panel.u.data());  // Alg.1 step 14
        scale = sparsify_shrink_scale<Scalar>({panel.u.data(), static_cast<std::size_t>(m)},
                                              options_,
                                              bisection_);  // Alg.1 steps 15-17
      }
      const bool is_zero = panel.u.isZero(0);
      if (is_zero && !was_zero) {
        if (rules_.refuses_death()) continue;
        rules_.died();
      } else if (!is_zero && was_zero) {
        rules_.revived();
      }
      Scalar* step = panel.change.col(changes).data();
      const Scalar largest = simd_.replace(m, scale, panel.u.data(), D_.col(j).data(), step);
      strips_.copy(j);
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
  bool near_;  // small enough to be read by each thread for itself
  Strips<Scalar> strips_;
  std::vector<std::unique_ptr<Panel<Scalar>>> panels_;  // a thread's own
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
