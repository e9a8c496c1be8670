// What all panels of an update of sparse atoms share.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "nodl/dictionary.h"
#include "nodl/memory.h"
#include "nodl/options.h"
#include "update/changes.h"
#include "update/panel.h"
#include "update/rows.h"
#include "update/turn.h"

namespace nodl {

template <class Scalar>
struct SparseAtom {
  std::vector<RowIndex> at;  // positions of rows, in any order; see Rows
  std::vector<Scalar> values;
};

/// Atoms during an update, and what is known about them. An entry of an atom, and everything that
/// is not of one atom, changes only while its panel takes its turns; meanwhile the next panel may
/// read what is of other atoms.
template <class Scalar>
class SparseAtoms {
 public:
  SparseAtoms(const Dictionary<Scalar>& dictionary,
              const Memory& memory,
              const UpdateOptions& update_options,
              const BisectionOptions& bisection_options)
      : A(memory.A()),
        B(memory.B()),
        options(update_options),
        bisection(bisection_options),
        m(dictionary.dimension()),
        k(dictionary.size()),
        newborns_from(dictionary.sparse_size()),
        rules(options, m, k > 0 ? A.diagonal().maxCoeff() : 0, dictionary.alive()),
        changes(A),
        rows(m),
        D(k),
        views(k),
        guess(k, -1),
        newborns_(dictionary.dense_block()) {
    const SparseColumns<Scalar> sparse = dictionary.sparse_block();
    for (Index j = 0; j < newborns_from; ++j) {
      for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
        if (sparse.values[p] == 0) continue;
        D[j].at.push_back(sparse.indices[p]);
        D[j].values.push_back(sparse.values[p]);
      }
      view(j);
    }
    if constexpr (!std::is_same_v<Scalar, double>) wide_ = newborns_.template cast<double>();
    const double beta = static_cast<double>(options.atom_nonzeros);
    const double margin =
        options.atom_threshold == AtomThreshold::Bisection && bisection.count_tolerance > 0
            ? std::max(1.0, bisection.count_tolerance * beta)
            : 0;
    enough = options.atom_nonzeros + 1 + static_cast<Index>(margin);
    wanted = enough + options.atom_nonzeros / 2 + 8;
  }

  /// Of a newborn that had no turn yet.
  const Scalar* newborn(Index j) const { return newborns_.col(j - k + newborns_.cols()).data(); }
  const double* wide_newborn(Index j) const {
    if constexpr (std::is_same_v<Scalar, double>) {
      return newborn(j);
    } else {
      return wide_.col(j - k + newborns_.cols()).data();
    }
  }

  void view(Index j) {
    views[j] = {D[j].at.data(), D[j].values.data(), static_cast<Index>(D[j].at.size())};
  }

  /// After the first sweep few rows may be left where atoms are not zero.
  void drop_idle_rows() {
    std::vector<char> used(m, 0);
    for (const SparseAtom<Scalar>& atom : D) {
      for (const RowIndex r : atom.at) used[r] = 1;
    }
    std::vector<RowIndex> active;
    for (Index r = 0; r < m; ++r) {
      if (used[r]) active.push_back(static_cast<RowIndex>(r));
    }
    if (3 * static_cast<Index>(active.size()) > m) return;
    rows.make_compact(std::move(active));
    for (SparseAtom<Scalar>& atom : D) {
      for (RowIndex& r : atom.at) r = rows.position(r);
    }
    active_b.resize((k + kPanelWidth - 1) / kPanelWidth);
    idle.resize(k);
    idle_bound.assign(k, std::numeric_limits<double>::infinity());
  }

  SparseMatrix<Scalar> packed() const {
    SparseMatrix<Scalar> result;
    result.rows = m;
    std::vector<std::pair<RowIndex, Scalar>> sorted;
    for (const SparseAtom<Scalar>& atom : D) {
      sorted.clear();
      for (std::size_t p = 0; p < atom.at.size(); ++p) {
        sorted.emplace_back(rows.row(atom.at[p]), atom.values[p]);
      }
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [row, value] : sorted) result.push(row, value);
      result.end_column();
    }
    return result;
  }

  const Matrix<double>& A;
  const Matrix<double>& B;
  const UpdateOptions& options;
  const BisectionOptions& bisection;
  Index m, k;
  Index newborns_from;  // atoms from here on were dense when this sweep began
  Index enough = 0;     // rows above the guess that make the other rows irrelevant
  Index wanted = 0;     // rows that should be above the guess
  TurnRules rules;
  Changes changes;
  Rows rows;
  std::vector<SparseAtom<Scalar>> D;
  std::vector<AtomView<Scalar>> views;
  std::vector<double> guess;                  // of each atom, as a numerator; -1: none yet
  std::vector<std::vector<double>> active_b;  // b_j of each panel at the active rows
  std::vector<std::vector<RowIndex>> idle;    // of each atom: other rows with b_j above idle_bound
  std::vector<double> idle_bound;

 private:
  const Matrix<Scalar>& newborns_;
  Matrix<double> wide_;  // newborns in double, where they are not
};

}  // namespace nodl
