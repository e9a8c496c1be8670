// One panel of sparse atoms: steps 13-18 of Algorithm 1 for the few atoms whose turns follow each
// other. For every row the numbers of the whole panel lie side by side, and each sparse atom
// outside of the panel is taken off all of them in one go; the atoms of the panel itself follow one
// after the other. Steps 15-17 look only at rows that can matter: those above a guess of the
// threshold. They are known to be enough where more of them than step 15 can keep lie above the
// guess; else all rows are looked at.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "nodl/prox.h"
#include "roomy_list.h"
#include "simd/kernels.h"
#include "update/sparse_atoms.h"

namespace nodl {

/// In this order: start, prepare_if_needed (or not), take_turns. Only for the last must the panel
/// before have had its turns; whether the panel was prepared before or after that, the result is
/// the same.
template <class Scalar>
class SparsePanel {
 public:
  explicit SparsePanel(SparseAtoms<Scalar>& atoms)
      : atoms_(atoms),
        panel_(kPanelWidth, atoms.m),
        weights_(kPanelWidth, atoms.k),
        listed_rows_(kPanelWidth, RoomyList<RowIndex>(atoms.m)),
        stamp_(atoms.m, 0),
        old_(atoms.m, Scalar(0)),
        above_rows_(atoms.m),
        above_bits_(atoms.m),
        candidates_(atoms.m),
        numerators_(atoms.m) {}

  /// `rows`: how many were active before the panel before this one took its turns.
  void start(Index number, Index rows) {
    number_ = number;
    first_ = number * kPanelWidth;
    count_ = std::min(kPanelWidth, atoms_.k - first_);
    before_ = std::max<Index>(0, first_ - kPanelWidth);
    dense_done_ = first_;
    rows_ = rows;
    prepared_ = completed_ = false;
  }

  /// Step 14 as far as newborns and the atoms before the panel before this one go, if some atom is
  /// known to need it.
  void prepare_if_needed() {
    for (Index j = first_; j < past() && !prepared_; ++j) {
      if (action(j) == TurnRules::Action::Solve && !atoms_.changes.settled(j, before_, first_)) {
        prepare();
      }
    }
  }

  /// Alg.1 steps 13-18; returns the largest change of an entry.
  double take_turns() {
    double largest = 0;
    for (Index t = 0; t < count_; ++t) largest = std::max(largest, turn(t));
    return largest;
  }

 private:
  Index past() const { return first_ + count_; }
  /// A newborn that had no turn yet, among the atoms of this panel.
  bool is_dense(Index j) const { return j >= atoms_.newborns_from && j >= dense_done_; }
  bool was_zero(Index j) const {
    if (!is_dense(j)) return atoms_.D[j].at.empty();
    return Eigen::Map<const Vector<Scalar>>(atoms_.newborn(j), atoms_.m).isZero(0);
  }
  TurnRules::Action action(Index j) const {
    return atoms_.rules.action(atoms_.A(j, j), was_zero(j));
  }

  void prepare() {
    prepared_ = true;
    std::array<const double*, kPanelWidth> columns{};
    for (Index t = 0; t < kPanelWidth; ++t) columns[t] = atoms_.A.col(first_ + t % count_).data();
    interleave(columns.data(), atoms_.k, weights_.data());
    load_b();
    if (atoms_.newborns_from < atoms_.k && past() < atoms_.k) {  // newborns behind the panel
      const Index from = std::max(past(), atoms_.newborns_from);
      simd::multiply<double>(simd::Product::Subtract,
                             kPanelWidth,
                             atoms_.m,
                             atoms_.k - from,
                             {weights_.col(from).data(), kPanelWidth},
                             {atoms_.wide_newborn(from), atoms_.m, true},
                             panel_.data(),
                             kPanelWidth);
    }
    subtract_atoms(atoms_.views.data(), 0, before_, weights_.data(), panel_.data());
  }

  /// The rest of it: the atoms of the panel before, which have had their turns, and, to keep sums
  /// in the order of the atoms, those behind this one.
  void complete() {
    completed_ = true;
    for (Index p = rows_; p < atoms_.rows.count(); ++p) add_active_row(p);
    subtract_atoms(atoms_.views.data(), before_, first_, weights_.data(), panel_.data());
    subtract_atoms(atoms_.views.data(), past(), atoms_.k, weights_.data(), panel_.data());
    listed_ = past() <= atoms_.newborns_from;  // no newborns in the panel
    if (listed_) list_candidates();
  }

  void load_b() {
    std::array<const double*, kPanelWidth> columns{};
    for (Index t = 0; t < kPanelWidth; ++t) columns[t] = atoms_.B.col(first_ + t % count_).data();
    if (!atoms_.rows.compact()) return interleave(columns.data(), atoms_.m, panel_.data());
    std::vector<double>& b = atoms_.active_b[number_];
    for (Index p = static_cast<Index>(b.size()) / kPanelWidth; p < rows_; ++p) {
      for (Index t = 0; t < kPanelWidth; ++t) b.push_back(columns[t][atoms_.rows.row(p)]);
    }
    std::copy(b.begin(), b.end(), panel_.data());
  }

  /// A row that no atom touched when the panel was prepared.
  void add_active_row(Index p) {
    const RowIndex row = atoms_.rows.row(p);
    for (Index t = 0; t < kPanelWidth; ++t) panel_(t, p) = atoms_.B(row, first_ + t % count_);
  }

  /// Rows of each column above its guess.
  void list_candidates() {
    const Index rows = atoms_.rows.count();
    std::array<double, kPanelWidth> bounds;
    bounds.fill(std::numeric_limits<double>::infinity());
    for (Index t = 0; t < count_; ++t) {
      listed_rows_[t].clear();
      double& guess = atoms_.guess[first_ + t];
      if (guess < 0) guess = sampled_guess(panel_.data() + t, kPanelWidth, rows);
      bounds[t] = guess;
    }
    const Index found =
        rows_above(panel_.data(), rows, bounds.data(), above_rows_.data(), above_bits_.data());
    for (Index i = 0; i < found; ++i) {
      for (unsigned bits = above_bits_[i]; bits != 0; bits &= bits - 1) {
        listed_rows_[__builtin_ctz(bits)].push(above_rows_[i]);
      }
    }
  }

  double turn(Index t) {
    const Index j = first_ + t;
    const bool dense = is_dense(j), was_zero = this->was_zero(j);
    const auto action = this->action(j);
    if (action == TurnRules::Action::Leave || atoms_.changes.settled(j)) return keep(j, dense);
    rows_found_.clear();
    values_found_.clear();
    if (action == TurnRules::Action::Solve) {
      if (!prepared_) prepare();
      if (!completed_) complete();
      solve(t);  // Alg.1 steps 14-17
    }
    const bool is_zero = rows_found_.empty();
    if (is_zero && !was_zero) {
      if (atoms_.rules.refuses_death()) return keep(j, dense);
      atoms_.rules.died();
    } else if (!is_zero && was_zero) {
      atoms_.rules.revived();
    }
    if (dense) {
      for (Index r = 0; r < atoms_.m; ++r) old_[r] = atoms_.newborn(j)[r];
      dense_done_ = j + 1;
    }
    const double change = replace(j, dense);
    atoms_.changes.solved(j, change > 0);
    return change;
  }

  double keep(Index j, bool dense) {
    if (dense) unpack(j);
    return 0;
  }

  /// A newborn leaves the dense block as it is.
  void unpack(Index j) {
    const Scalar* atom = atoms_.newborn(j);
    for (Index r = 0; r < atoms_.m; ++r) {
      if (atom[r] == 0) continue;
      atoms_.D[j].at.push_back(static_cast<RowIndex>(r));
      atoms_.D[j].values.push_back(atom[r]);
    }
    dense_done_ = j + 1;
    atoms_.view(j);
  }

  /// d_j <- what steps 14-17 found; returns the largest change. `dense`: old_ holds the old atom.
  double replace(Index j, bool dense) {
    SparseAtom<Scalar>& atom = atoms_.D[j];
    for (std::size_t p = 0; p < atom.at.size(); ++p) old_[atom.at[p]] = atom.values[p];
    double change = 0;
    old_at_.swap(atom.at);
    const std::size_t count = rows_found_.size();
    atom.at.resize(count);
    atom.values = values_found_;
    for (std::size_t p = 0; p < count; ++p) {
      if (!atoms_.rows.active(rows_found_[p])) {
        atoms_.rows.activate(rows_found_[p]);
        add_active_row(atoms_.rows.count() - 1);
      }
      const RowIndex at = atoms_.rows.position(rows_found_[p]);
      atom.at[p] = at;
      change = std::max(change, std::abs(static_cast<double>(values_found_[p]) - old_[at]));
      old_[at] = 0;
    }
    for (const RowIndex at : old_at_) {
      change = std::max(change, std::abs(static_cast<double>(old_[at])));
      old_[at] = 0;
    }
    atoms_.view(j);
    for (Index r = 0; dense && r < atoms_.m; ++r) {
      change = std::max(change, std::abs(static_cast<double>(old_[r])));
      old_[r] = 0;
    }
    return change;
  }

  /// visit(i) for all |c_i| above the bound.
  template <class Visit>
  void each_above(const double* c, Index n, double bound, const Visit& visit) {
    const Index found = simd::kernels<double>().above(c, n, bound, above_rows_.data(), n);
    for (Index i = 0; i < found; ++i) visit(above_rows_[i]);
  }

  /// Rows of b_j that no atom touches and that are not far below the guess; largest first.
  void list_idle_rows(Index j) {
    const double* b = atoms_.B.col(j).data();
    atoms_.idle_bound[j] = atoms_.guess[j] / 2;
    atoms_.idle[j].clear();
    each_above(b, atoms_.m, atoms_.idle_bound[j], [&](RowIndex row) {
      if (!atoms_.rows.active(row)) atoms_.idle[j].push_back(row);
    });
    std::sort(atoms_.idle[j].begin(), atoms_.idle[j].end(), [&](RowIndex x, RowIndex y) {
      return std::abs(b[x]) != std::abs(b[y]) ? std::abs(b[x]) > std::abs(b[y]) : x < y;
    });
  }

  /// What about twice `wanted` of the rows exceed, judged from a few of them.
  double sampled_guess(const double* values, Index stride, Index rows) {
    constexpr Index kTop = 8;
    const Index step = std::max<Index>(1, 2 * atoms_.wanted / kTop);
    std::array<double, kTop> top{};  // the largest seen, falling
    for (Index r = 0; r < rows; r += step) {
      const double size = std::abs(values[r * stride]);
      if (!(size > top.back())) continue;
      Index i = kTop - 1;
      for (; i > 0 && size > top[i - 1]; --i) top[i] = top[i - 1];
      top[i] = size;
    }
    return top.back();
  }

  void solve(Index t) {
    const Index j = first_ + t;
    ++turn_stamp_;
    candidates_.clear();
    numerators_.clear();
    if (listed_) {
      const double guess = atoms_.guess[j];
      for (const RowIndex at : listed_rows_[t]) stamp_[at] = turn_stamp_;
      subtract_panel_atoms(t, &listed_rows_[t]);
      for (const RowIndex at : listed_rows_[t]) {
        if (std::abs(panel_(t, at)) > guess) add_candidate(atoms_.rows.row(at), panel_(t, at));
      }
      if (atoms_.rows.compact()) {
        if (guess < atoms_.idle_bound[j]) list_idle_rows(j);
        for (const RowIndex row : atoms_.idle[j]) {
          if (!(std::abs(atoms_.B(row, j)) > guess)) break;
          if (!atoms_.rows.active(row)) add_candidate(row, atoms_.B(row, j));
        }
      }
      if (finish(j, guess)) return;
    } else {
      subtract_panel_atoms(t, nullptr);
      copy_column(t);
      if (atoms_.guess[j] < 0) atoms_.guess[j] = sampled_guess(column_.data(), 1, atoms_.m);
      add_column(atoms_.guess[j]);
      if (finish(j, atoms_.guess[j])) return;
    }
    copy_column(t);
    for (const double bound : {atoms_.guess[j] / 2, 0.0}) {
      candidates_.clear();
      numerators_.clear();
      add_column(bound);
      if (atoms_.rows.compact()) {
        each_above(atoms_.B.col(j).data(), atoms_.m, bound, [&](RowIndex row) {
          if (!atoms_.rows.active(row)) add_candidate(row, atoms_.B(row, j));
        });
      }
      if (finish(j, bound)) return;
    }
  }

  void add_candidate(RowIndex row, double numerator) {
    if (atoms_.options.positive_dict && !(numerator > 0)) return;  // d >= 0: its entry is zero
    candidates_.push(row);
    numerators_.push(numerator);
  }

  /// Step 14 as far as the other sparse atoms of the panel go; their rows join the list.
  void subtract_panel_atoms(Index t, RoomyList<RowIndex>* list) {
    const Index j = first_ + t;
    for (Index l = first_; l < first_ + count_; ++l) {
      if (l == j || is_dense(l)) continue;
      const SparseAtom<Scalar>& atom = atoms_.D[l];
      const double a = atoms_.A(l, j);
      for (std::size_t p = 0; p < atom.at.size(); ++p) {
        const RowIndex at = atom.at[p];
        panel_(t, at) -= a * static_cast<double>(atom.values[p]);
        if (list == nullptr || stamp_[at] == turn_stamp_) continue;
        stamp_[at] = turn_stamp_;
        list->push(at);
      }
    }
  }

  /// The whole column of the panel, less the newborns in the panel.
  void copy_column(Index t) {
    const Index j = first_ + t, rows = atoms_.rows.count();
    column_.resize(rows);
    for (Index r = 0; r < rows; ++r) column_[r] = panel_(t, r);
    for (Index l = first_; l < first_ + count_; ++l) {
      if (l == j || !is_dense(l)) continue;
      column_ -=
          atoms_.A(l, j) * Eigen::Map<const Vector<double>>(atoms_.wide_newborn(l), atoms_.m);
    }
  }

  void add_column(double bound) {
    each_above(column_.data(), column_.size(), bound, [&](RowIndex at) {
      add_candidate(atoms_.rows.row(at), column_[at]);
    });
  }

  /// Steps 15-17 on the candidates, which are all rows above the bound; false if others may matter.
  bool finish(Index j, double bound) {
    const Index n = candidates_.size(), beta = atoms_.options.atom_nonzeros;
    if (bound > 0 && n < atoms_.enough) return false;
    const double inverse = 1 / atoms_.A(j, j);
    u_.resize(n);
    for (Index i = 0; i < n; ++i) u_[i] = static_cast<Scalar>(numerators_[i] * inverse);
    const std::span<Scalar> u(u_);
    if (beta < n) {  // Alg.1 step 15
      const bool exact = atoms_.options.atom_threshold == AtomThreshold::Exact;
      const Scalar lambda = exact ? threshold_by_selection<Scalar>(u, beta)
                                  : threshold_by_bisection<Scalar>(u, beta, atoms_.bisection);
      if (exact && lambda < static_cast<Scalar>(bound * inverse)) return false;  // a tie of many
      if (lambda > 0) soft_threshold<Scalar>(u, lambda);
    }
    if (atoms_.options.group_penalty > 0) {  // Alg.1 step 16
      group_shrink<Scalar>(u, static_cast<Scalar>(atoms_.options.group_penalty));
    }
    project_to_ball<Scalar>(u);  // Alg.1 step 17
    for (Index i = 0; i < n; ++i) {
      if (u_[i] == 0) continue;
      rows_found_.push_back(candidates_[i]);
      values_found_.push_back(u_[i]);
    }
    if (n < atoms_.enough + beta / 4 || n > 2 * atoms_.wanted) guess_anew(j, bound);
    return true;
  }

  /// The guess of the next sweep: what `wanted` rows exceed now, or less than that of this sweep.
  void guess_anew(Index j, double bound) {
    const Index n = numerators_.size();
    if (n <= atoms_.wanted) {
      atoms_.guess[j] = 0.9 * bound;
      return;
    }
    sizes_.resize(n);
    for (Index i = 0; i < n; ++i) sizes_[i] = std::abs(numerators_[i]);
    std::nth_element(
        sizes_.begin(), sizes_.begin() + atoms_.wanted, sizes_.end(), std::greater<double>());
    atoms_.guess[j] = std::max(0.9 * bound, sizes_[atoms_.wanted]);
  }

  SparseAtoms<Scalar>& atoms_;
  Index number_ = 0, first_ = 0, count_ = 0;  // the panel, and its atoms
  Index before_ = 0;                          // the first atom of the panel before
  Index dense_done_ = 0;                      // newborns of the panel from here on had no turn yet
  Index rows_ = 0;                            // that were active when the panel was prepared
  bool prepared_ = false;
  bool completed_ = false;
  bool listed_ = false;     // candidates were listed
  Matrix<double> panel_;    // numerators of step 14: a row of the dictionary is a column here
  Matrix<double> weights_;  // a_lj: l is a column, j an atom of the panel
  std::vector<RoomyList<RowIndex>> listed_rows_;  // of each atom of the panel

  Index turn_stamp_ = 0;
  std::vector<Index> stamp_;  // turn in which a position was listed
  std::vector<Scalar> old_;   // zero between calls
  std::vector<RowIndex> old_at_, above_rows_;
  std::vector<unsigned char> above_bits_;
  Vector<double> column_;
  RoomyList<RowIndex> candidates_;
  RoomyList<double> numerators_;
  std::vector<RowIndex> rows_found_;
  std::vector<double> sizes_;
  std::vector<Scalar> u_, values_found_;
};

}  // namespace nodl
