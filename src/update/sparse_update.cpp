// Sparse atoms, in panels of a few atoms (sparse_panel.h). Panels take their turns one after the
// other; meanwhile another thread prepares the next one.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <vector>

#include "relay.h"
#include "update/sparse_panel.h"
#include "update/updates.h"

namespace nodl {
namespace {

// One takes its turns, one is prepared: more threads would only wait.
constexpr Index kPanelsAtOnce = 2;

/// The sweeps of one update.
template <class Scalar>
class Sweeper {
 public:
  Sweeper(SparseAtoms<Scalar>& atoms, ThreadPool& pool)
      : atoms_(atoms),
        pool_(pool),
        panels_((atoms.k + kPanelWidth - 1) / kPanelWidth),
        rows_after_(panels_ + 1),
        places_(std::min<Index>({kPanelsAtOnce, panels_, pool.threads()})) {}

  /// Alg.1 steps 13-18; returns the largest change of an entry.
  double sweep() {
    double largest = 0;
    std::atomic<Index> next = 0;  // who takes a panel waits only for those that were taken before
    Relay turns;
    rows_after_[0] = atoms_.rows.count();
    pool_.run(std::ssize(places_), [&](Index place, int) {
      try {
        if (!places_[place]) places_[place] = std::make_unique<SparsePanel<Scalar>>(atoms_);
        SparsePanel<Scalar>& panel = *places_[place];
        for (Index p = next++; p < panels_; p = next++) {
          if (!turns.await(p - 1)) return;
          panel.start(p, rows_after_[std::max<Index>(0, p - 1)]);
          if (places_.size() > 1) panel.prepare_if_needed();  // while another takes its turns
          if (!turns.await(p)) return;
          largest = std::max(largest, panel.take_turns());
          rows_after_[p + 1] = atoms_.rows.count();
          turns.hand_over(p + 1);
        }
      } catch (...) {
        turns.give_up();
        throw;
      }
    });
    atoms_.newborns_from = atoms_.k;
    return largest;
  }

 private:
  SparseAtoms<Scalar>& atoms_;
  ThreadPool& pool_;
  Index panels_;
  std::vector<Index> rows_after_;  // active rows when so many panels have had their turns
  std::vector<std::unique_ptr<SparsePanel<Scalar>>> places_;
};

}  // namespace

template <class Scalar>
UpdateResult update_sparse(Dictionary<Scalar>& dictionary,
                           const Memory& memory,
                           const UpdateOptions& options,
                           const BisectionOptions& bisection,
                           ThreadPool& pool) {
  if (options.max_sweeps < 1) return {};
  SparseAtoms<Scalar> atoms(dictionary, memory, options, bisection);
  Sweeper<Scalar> sweeper(atoms, pool);
  UpdateResult result;
  while (result.sweeps < options.max_sweeps && !result.converged) {  // Alg.1 step 12
    if (result.sweeps == 1) atoms.drop_idle_rows();
    result.change = sweeper.sweep();
    ++result.sweeps;
    result.converged = result.change < options.tolerance;  // Alg.1 step 19
  }
  dictionary.replace_by_sparse(atoms.packed());
  return result;
}

template UpdateResult update_sparse(
    Dictionary<double>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);
template UpdateResult update_sparse(
    Dictionary<float>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);

}  // namespace nodl
