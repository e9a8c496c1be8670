// What happens to an atom at its turn, apart from the arithmetic of steps 14-17.
#pragma once

#include <algorithm>

#include "magnitude.h"
#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl {

/// The hard cases of steps 13-18, decided once for both ways of storing atoms.
class TurnRules {
 public:
  TurnRules(const UpdateOptions& options, Index dimension, double largest_a_jj, Index alive)
      : skip_dead_(options.dead_atoms == DeadAtoms::Skip && options.group_penalty > 0),
        keep_last_(options.last_atom == LastAtom::Keep && options.group_penalty > 0),
        zero_unused_(options.unused_atoms == UnusedAtoms::Zero ||
                     (options.unused_atoms == UnusedAtoms::Exact &&
                      (options.atom_nonzeros < dimension || options.group_penalty > 0))),
        faded_below_(std::max(1e-12 * largest_a_jj, kSmallestSquare)),
        alive_(alive) {}

  enum class Action {
    Solve,  // steps 14-17
    Leave,  // the atom stays as it is
    Zero,   // a_jj = 0 (then b_j = 0): with a penalty active the exact minimiser is zero
  };
  Action action(double a_jj, bool is_zero) const {
    if (is_zero && skip_dead_) return Action::Leave;
    if (a_jj == 0) return zero_unused_ ? Action::Zero : Action::Leave;
    // Faded memories (half-life, mairal), and those of tiny samples, have lost the digits to say
    // anything about this atom.
    if (a_jj < faded_below_) return Action::Leave;
    return Action::Solve;
  }

  /// True if an atom that is about to become zero must keep its old value: it is the last one.
  bool refuses_death() const { return keep_last_ && alive_ == 1; }
  void died() { --alive_; }
  void revived() { ++alive_; }

 private:
  bool skip_dead_;
  bool keep_last_;
  bool zero_unused_;
  double faded_below_;
  Index alive_;
};

}  // namespace nodl
