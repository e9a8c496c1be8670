// Sparse atoms. Step 14 is made for a panel of atoms at a time: for every row the numbers of the
// whole panel lie side by side, and each sparse atom outside of the panel is taken off all of them
// in one go; the atoms of the panel itself follow one after the other. Steps 15-17 look only at
// rows that can matter: those above a guess of the threshold. They are known to be enough where
// more of them than step 15 can keep lie above the guess; else all rows are looked at.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "nodl/prox.h"
#include "simd/kernels.h"
#include "update/changes.h"
#include "update/panel.h"
#include "update/rows.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

template <class Scalar>
struct SparseAtom {
  std::vector<RowIndex> at;  // positions of rows, in any order; see Rows
  std::vector<Scalar> values;
};

/// The sweeps of one update.
template <class Scalar>
class Sweeper {
 public:
  Sweeper(const Dictionary<Scalar>& dictionary,
          const Memory& memory,
          const UpdateOptions& options,
          const BisectionOptions& bisection)
      : A_(memory.A()),
        B_(memory.B()),
        options_(options),
        bisection_(bisection),
        m_(dictionary.dimension()),
        k_(dictionary.size()),
        first_dense_(dictionary.sparse_size()),
        newborns_(dictionary.dense_block()),
        rules_(options, m_, k_ > 0 ? A_.diagonal().maxCoeff() : 0, dictionary.alive()),
        changes_(A_),
        rows_(m_),
        D_(k_),
        views_(k_),
        panel_(kPanelWidth, m_),
        weights_(kPanelWidth, k_),
        guess_(k_, -1),
        stamp_(m_, 0),
        old_(m_, Scalar(0)),
        above_rows_(m_),
        above_bits_(m_) {
    const SparseColumns<Scalar> sparse = dictionary.sparse_block();
    for (Index j = 0; j < first_dense_; ++j) {
      for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
        if (sparse.values[p] == 0) continue;
        D_[j].at.push_back(sparse.indices[p]);
        D_[j].values.push_back(sparse.values[p]);
      }
      view(j);
    }
    if constexpr (!std::is_same_v<Scalar, double>) wide_ = newborns_.template cast<double>();
    const double beta = static_cast<double>(options.atom_nonzeros);
    const double margin =
        options.atom_threshold == AtomThreshold::Bisection && bisection.count_tolerance > 0
            ? std::max(1.0, bisection.count_tolerance * beta)
            : 0;
    enough_ = options.atom_nonzeros + 1 + static_cast<Index>(margin);
    wanted_ = enough_ + options.atom_nonzeros / 2 + 8;
  }

  /// Alg.1 steps 13-18; returns the largest change of an entry.
  double sweep() {
    if (sweeps_++ == 1) drop_idle_rows();
    double largest = 0;
    for (first_ = 0; first_ < k_; first_ += kPanelWidth) {
      count_ = std::min(kPanelWidth, k_ - first_);
      prepared_ = false;
      for (Index t = 0; t < count_; ++t) largest = std::max(largest, turn(t));
      first_dense_ = std::max(first_dense_, first_ + count_);
    }
    return largest;
  }

  SparseMatrix<Scalar> result() const {
    SparseMatrix<Scalar> packed;
    packed.rows = m_;
    std::vector<std::pair<RowIndex, Scalar>> sorted;
    for (const SparseAtom<Scalar>& atom : D_) {
      sorted.clear();
      for (std::size_t p = 0; p < atom.at.size(); ++p) {
        sorted.emplace_back(rows_.row(atom.at[p]), atom.values[p]);
      }
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [row, value] : sorted) packed.push(row, value);
      packed.end_column();
    }
    return packed;
  }

 private:
  bool is_dense(Index j) const { return j >= first_dense_; }
  const Scalar* newborn(Index j) const { return newborns_.col(j - k_ + newborns_.cols()).data(); }
  const double* wide_newborn(Index j) const {
    if constexpr (std::is_same_v<Scalar, double>) {
      return newborn(j);
    } else {
      return wide_.col(j - k_ + newborns_.cols()).data();
    }
  }

  double turn(Index t) {
    const Index j = first_ + t;
    const bool dense = is_dense(j) && dense_done_ <= j;
    const bool was_zero =
        dense ? newborns_.col(j - k_ + newborns_.cols()).isZero(0) : D_[j].at.empty();
    const auto action = rules_.action(A_(j, j), was_zero);
    if (action == TurnRules::Action::Leave || changes_.settled(j)) return keep(j, dense);
    rows_found_.clear();
    values_found_.clear();
    if (action == TurnRules::Action::Solve) {
      if (!prepared_) prepare();
      solve(t);  // Alg.1 steps 14-17
    }
    const bool is_zero = rows_found_.empty();
    if (is_zero && !was_zero) {
      if (rules_.refuses_death()) return keep(j, dense);
      rules_.died();
    } else if (!is_zero && was_zero) {
      rules_.revived();
    }
    if (dense) {
      for (Index r = 0; r < m_; ++r) old_[r] = newborn(j)[r];
      dense_done_ = j + 1;
    }
    const double change = replace(j, dense);
    changes_.solved(j, change > 0);
    return change;
  }

  void view(Index j) {
    views_[j] = {D_[j].at.data(), D_[j].values.data(), static_cast<Index>(D_[j].at.size())};
  }

  double keep(Index j, bool dense) {
    if (dense) unpack(j);
    return 0;
  }

  /// A newborn leaves the dense block as it is.
  void unpack(Index j) {
    const Scalar* atom = newborn(j);
    for (Index r = 0; r < m_; ++r) {
      if (atom[r] == 0) continue;
      D_[j].at.push_back(static_cast<RowIndex>(r));
      D_[j].values.push_back(atom[r]);
    }
    dense_done_ = j + 1;
    view(j);
  }

  /// d_j <- what steps 14-17 found; returns the largest change. `dense`: old_ holds the old atom.
  double replace(Index j, bool dense) {
    SparseAtom<Scalar>& atom = D_[j];
    for (std::size_t p = 0; p < atom.at.size(); ++p) old_[atom.at[p]] = atom.values[p];
    double change = 0;
    old_at_.swap(atom.at);
    const std::size_t count = rows_found_.size();
    atom.at.resize(count);
    atom.values = values_found_;
    for (std::size_t p = 0; p < count; ++p) {
      if (!rows_.active(rows_found_[p])) activate(rows_found_[p]);
      const RowIndex at = rows_.position(rows_found_[p]);
      atom.at[p] = at;
      change = std::max(change, std::abs(static_cast<double>(values_found_[p]) - old_[at]));
      old_[at] = 0;
    }
    for (const RowIndex at : old_at_) {
      change = std::max(change, std::abs(static_cast<double>(old_[at])));
      old_[at] = 0;
    }
    view(j);
    for (Index r = 0; dense && r < m_; ++r) {
      change = std::max(change, std::abs(static_cast<double>(old_[r])));
      old_[r] = 0;
    }
    return change;
  }

  /// Step 14 for the panel, as far as the atoms outside of it go.
  void prepare() {
    prepared_ = true;
    std::array<const double*, kPanelWidth> columns{};
    for (Index t = 0; t < kPanelWidth; ++t) columns[t] = A_.col(first_ + t % count_).data();
    interleave(columns.data(), k_, weights_.data());
    load_b();
    const Index past = first_ + count_;
    if (first_dense_ < k_ && past < k_) {  // newborns behind the panel
      const Index from = std::max(past, first_dense_);
      simd::multiply<double>(simd::Product::Subtract,
                             kPanelWidth,
                             m_,
                             k_ - from,
                             {weights_.col(from).data(), kPanelWidth},
                             {wide_newborn(from), m_, true},
                             panel_.data(),
                             kPanelWidth);
    }
    subtract_atoms(views_.data(), 0, first_, weights_.data(), panel_.data());
    subtract_atoms(views_.data(), past, k_, weights_.data(), panel_.data());
    listed_ = past <= first_dense_;  // no newborns in the panel
    if (listed_) list_candidates();
  }

  void load_b() {
    std::array<const double*, kPanelWidth> columns{};
    for (Index t = 0; t < kPanelWidth; ++t) columns[t] = B_.col(first_ + t % count_).data();
    if (!rows_.compact()) return interleave(columns.data(), m_, panel_.data());
    std::vector<double>& b = active_b_[first_ / kPanelWidth];
    for (Index p = static_cast<Index>(b.size()) / kPanelWidth; p < rows_.count(); ++p) {
      for (Index t = 0; t < kPanelWidth; ++t) b.push_back(columns[t][rows_.row(p)]);
    }
    std::copy(b.begin(), b.end(), panel_.data());
  }

  /// After the first sweep few rows may be left where atoms are not zero.
  void drop_idle_rows() {
    std::vector<char> used(m_, 0);
    for (const SparseAtom<Scalar>& atom : D_) {
      for (const RowIndex r : atom.at) used[r] = 1;
    }
    std::vector<RowIndex> rows;
    for (Index r = 0; r < m_; ++r) {
      if (used[r]) rows.push_back(static_cast<RowIndex>(r));
    }
    if (3 * static_cast<Index>(rows.size()) > m_) return;
    rows_.make_compact(std::move(rows));
    for (SparseAtom<Scalar>& atom : D_) {
      for (RowIndex& r : atom.at) r = rows_.position(r);
    }
    active_b_.resize((k_ + kPanelWidth - 1) / kPanelWidth);
    idle_.resize(k_);
    idle_bound_.assign(k_, std::numeric_limits<double>::infinity());
  }

  /// Rows of b_j that no atom touches and that are not far below the guess; largest first.
  void list_idle_rows(Index j) {
    const double* b = B_.col(j).data();
    idle_bound_[j] = guess_[j] / 2;
    idle_[j].clear();
    for (Index r = 0; r < m_; ++r) {
      if (std::abs(b[r]) > idle_bound_[j] && !rows_.active(static_cast<RowIndex>(r))) {
        idle_[j].push_back(static_cast<RowIndex>(r));
      }
    }
    std::sort(idle_[j].begin(), idle_[j].end(), [&](RowIndex x, RowIndex y) {
      return std::abs(b[x]) != std::abs(b[y]) ? std::abs(b[x]) > std::abs(b[y]) : x < y;
    });
  }

  void activate(RowIndex row) {
    rows_.activate(row);
    const Index at = rows_.count() - 1;
    for (Index t = 0; t < kPanelWidth; ++t) panel_(t, at) = B_(row, first_ + t % count_);
  }

  /// Rows of each column above its guess.
  void list_candidates() {
    std::array<double, kPanelWidth> bounds;
    bounds.fill(std::numeric_limits<double>::infinity());
    for (Index t = 0; t < count_; ++t) {
      listed_rows_[t].clear();
      if (guess_[first_ + t] < 0) {
        guess_[first_ + t] = sampled_guess(panel_.data() + t, kPanelWidth, rows_.count());
      }
      bounds[t] = guess_[first_ + t];
    }
    const Index found = rows_above(
        panel_.data(), rows_.count(), bounds.data(), above_rows_.data(), above_bits_.data());
    for (Index i = 0; i < found; ++i) {
      for (unsigned bits = above_bits_[i]; bits != 0; bits &= bits - 1) {
        listed_rows_[__builtin_ctz(bits)].push_back(above_rows_[i]);
      }
    }
  }

  /// What about twice `wanted_` of the rows exceed, judged from a few of them.
  double sampled_guess(const double* values, Index stride, Index rows) {
    constexpr Index kTop = 8;
    const Index step = std::max<Index>(1, 2 * wanted_ / kTop);
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
      const double guess = guess_[j];
      for (const RowIndex at : listed_rows_[t]) stamp_[at] = turn_stamp_;
      subtract_panel_atoms(t, &listed_rows_[t]);
      for (const RowIndex at : listed_rows_[t]) {
        if (std::abs(panel_(t, at)) > guess) add_candidate(rows_.row(at), panel_(t, at));
      }
      if (rows_.compact()) {
        if (guess < idle_bound_[j]) list_idle_rows(j);
        for (const RowIndex row : idle_[j]) {
          if (!(std::abs(B_(row, j)) > guess)) break;
          if (!rows_.active(row)) add_candidate(row, B_(row, j));
        }
      }
      if (finish(j, guess)) return;
    } else {
      subtract_panel_atoms(t, nullptr);
      copy_column(t);
      if (guess_[j] < 0) guess_[j] = sampled_guess(column_.data(), 1, m_);
      add_column(guess_[j]);
      if (finish(j, guess_[j])) return;
    }
    copy_column(t);
    for (const double bound : {guess_[j] / 2, 0.0}) {
      candidates_.clear();
      numerators_.clear();
      add_column(bound);
      for (Index r = 0; rows_.compact() && r < m_; ++r) {
        const RowIndex row = static_cast<RowIndex>(r);
        if (std::abs(B_(r, j)) > bound && !rows_.active(row)) add_candidate(row, B_(r, j));
      }
      if (finish(j, bound)) return;
    }
  }

  void add_candidate(RowIndex row, double numerator) {
    if (options_.positive_dict && !(numerator > 0)) return;  // d >= 0: its entry is zero
    candidates_.push_back(row);
    numerators_.push_back(numerator);
  }

  /// Step 14 as far as the other sparse atoms of the panel go; their rows join the list.
  void subtract_panel_atoms(Index t, std::vector<RowIndex>* list) {
    const Index j = first_ + t;
    for (Index l = first_; l < first_ + count_; ++l) {
      if (l == j || (is_dense(l) && dense_done_ <= l)) continue;
      const SparseAtom<Scalar>& atom = D_[l];
      const double a = A_(l, j);
      for (std::size_t p = 0; p < atom.at.size(); ++p) {
        const RowIndex at = atom.at[p];
        panel_(t, at) -= a * static_cast<double>(atom.values[p]);
        if (list == nullptr || stamp_[at] == turn_stamp_) continue;
        stamp_[at] = turn_stamp_;
        list->push_back(at);
      }
    }
  }

  /// The whole column of the panel, less the newborns in the panel.
  void copy_column(Index t) {
    const Index j = first_ + t, rows = rows_.count();
    column_.resize(rows);
    for (Index r = 0; r < rows; ++r) column_[r] = panel_(t, r);
    for (Index l = first_; l < first_ + count_; ++l) {
      if (l == j || !is_dense(l) || dense_done_ > l) continue;
      column_ -= A_(l, j) * Eigen::Map<const Vector<double>>(wide_newborn(l), m_);
    }
  }

  void add_column(double bound) {
    for (Index r = 0; r < column_.size(); ++r) {
      if (std::abs(column_[r]) > bound) add_candidate(rows_.row(r), column_[r]);
    }
  }

  /// Steps 15-17 on the candidates, which are all rows above the bound; false if others may matter.
  bool finish(Index j, double bound) {
    const Index n = static_cast<Index>(candidates_.size()), beta = options_.atom_nonzeros;
    if (bound > 0 && n < enough_) return false;
    const double inverse = 1 / A_(j, j);
    u_.resize(n);
    for (Index i = 0; i < n; ++i) u_[i] = static_cast<Scalar>(numerators_[i] * inverse);
    const std::span<Scalar> u(u_);
    if (beta < n) {  // Alg.1 step 15
      const bool exact = options_.atom_threshold == AtomThreshold::Exact;
      const Scalar lambda = exact ? threshold_by_selection<Scalar>(u, beta)
                                  : threshold_by_bisection<Scalar>(u, beta, bisection_);
      if (exact && lambda < static_cast<Scalar>(bound * inverse)) return false;  // a tie of many
      if (lambda > 0) soft_threshold<Scalar>(u, lambda);
    }
    if (options_.group_penalty > 0) {  // Alg.1 step 16
      group_shrink<Scalar>(u, static_cast<Scalar>(options_.group_penalty));
    }
    project_to_ball<Scalar>(u);  // Alg.1 step 17
    for (Index i = 0; i < n; ++i) {
      if (u_[i] == 0) continue;
      rows_found_.push_back(candidates_[i]);
      values_found_.push_back(u_[i]);
    }
    if (n < enough_ + beta / 4 || n > 2 * wanted_) guess_anew(j, bound);
    return true;
  }

  /// The guess of the next sweep: what `wanted_` rows exceed now, or less than that of this sweep.
  void guess_anew(Index j, double bound) {
    const Index n = static_cast<Index>(numerators_.size());
    if (n <= wanted_) {
      guess_[j] = 0.9 * bound;
      return;
    }
    sizes_.resize(n);
    for (Index i = 0; i < n; ++i) sizes_[i] = std::abs(numerators_[i]);
    std::nth_element(
        sizes_.begin(), sizes_.begin() + wanted_, sizes_.end(), std::greater<double>());
    guess_[j] = std::max(0.9 * bound, sizes_[wanted_]);
  }

  const Matrix<double>& A_;
  const Matrix<double>& B_;
  const UpdateOptions& options_;
  const BisectionOptions& bisection_;
  Index m_, k_;
  Index enough_ = 0;  // rows above the guess that make the other rows irrelevant
  Index wanted_ = 0;  // rows that should be above the guess
  int sweeps_ = 0;

  Index first_dense_;     // atoms from here on are newborns that had no turn yet,
  Index dense_done_ = 0;  // but for those in the panel before this one
  const Matrix<Scalar>& newborns_;
  Matrix<double> wide_;  // newborns in double, where they are not
  TurnRules rules_;
  Changes changes_;
  Rows rows_;
  std::vector<SparseAtom<Scalar>> D_;
  std::vector<AtomView<Scalar>> views_;

  Index first_ = 0, count_ = 0;  // atoms of the panel
  bool prepared_ = false;
  bool listed_ = false;     // candidates were listed
  Matrix<double> panel_;    // numerators of step 14: a row of the dictionary is a column here
  Matrix<double> weights_;  // a_lj: l is a column, j an atom of the panel
  std::array<std::vector<RowIndex>, kPanelWidth> listed_rows_;
  std::vector<std::vector<double>> active_b_;  // b_j of each panel at the active rows
  std::vector<std::vector<RowIndex>> idle_;    // of each atom: other rows with b_j above idle_bound
  std::vector<double> idle_bound_;
  std::vector<double> guess_;  // of each atom, as a numerator; -1: none yet

  Index turn_stamp_ = 0;
  std::vector<Index> stamp_;  // turn in which a position was listed
  std::vector<Scalar> old_;   // zero between calls
  std::vector<RowIndex> old_at_, above_rows_;
  std::vector<unsigned char> above_bits_;
  Vector<double> column_;
  std::vector<RowIndex> candidates_, rows_found_;
  std::vector<double> numerators_, sizes_;
  std::vector<Scalar> u_, values_found_;
};

}  // namespace

template <class Scalar>
UpdateResult update_sparse(Dictionary<Scalar>& dictionary,
                           const Memory& memory,
                           const UpdateOptions& options,
                           const BisectionOptions& bisection) {
  if (options.max_sweeps < 1) return {};
  Sweeper<Scalar> sweeper(dictionary, memory, options, bisection);
  UpdateResult result;
  while (result.sweeps < options.max_sweeps && !result.converged) {  // Alg.1 step 12
    result.change = sweeper.sweep();
    ++result.sweeps;
    result.converged = result.change < options.tolerance;  // Alg.1 step 19
  }
  dictionary.replace_by_sparse(sweeper.result());
  return result;
}

template UpdateResult update_sparse(Dictionary<double>&,
                                    const Memory&,
                                    const UpdateOptions&,
                                    const BisectionOptions&);
template UpdateResult update_sparse(Dictionary<float>&,
                                    const Memory&,
                                    const UpdateOptions&,
                                    const BisectionOptions&);

}  // namespace nodl
