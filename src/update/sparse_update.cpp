// Sparse atoms: step 14 costs m + (nonzeros of D) for each atom, and no dense D is ever touched.
#include <cmath>

#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

template <class Scalar>
struct SparseAtom {
  std::vector<RowIndex> rows;
  std::vector<Scalar> values;
};

template <class Scalar>
std::vector<SparseAtom<Scalar>> unpack(const Dictionary<Scalar>& dictionary) {
  std::vector<SparseAtom<Scalar>> atoms(dictionary.size());
  std::vector<Scalar> column(dictionary.dimension());
  for (Index j = 0; j < dictionary.size(); ++j) {
    dictionary.copy_atom(j, column.data());
    for (Index r = 0; r < dictionary.dimension(); ++r) {
      if (column[r] == 0) continue;
      atoms[j].rows.push_back(static_cast<RowIndex>(r));
      atoms[j].values.push_back(column[r]);
    }
  }
  return atoms;
}

template <class Scalar>
SparseMatrix<Scalar> pack(const std::vector<SparseAtom<Scalar>>& atoms, Index m) {
  SparseMatrix<Scalar> packed;
  packed.rows = m;
  for (const SparseAtom<Scalar>& atom : atoms) {
    packed.indices.insert(packed.indices.end(), atom.rows.begin(), atom.rows.end());
    packed.values.insert(packed.values.end(), atom.values.begin(), atom.values.end());
    packed.end_column();
  }
  return packed;
}

/// Replaces the atom by the nonzeros of `column`; returns the largest change of an entry.
template <class Scalar>
double replace(SparseAtom<Scalar>& atom, std::vector<Scalar>& column, std::vector<Scalar>& old) {
  double change = 0;
  for (std::size_t p = 0; p < atom.rows.size(); ++p) old[atom.rows[p]] = atom.values[p];
  for (const RowIndex r : atom.rows) {
    change = std::max(change, std::abs(static_cast<double>(column[r]) - old[r]));
    old[r] = 0;
  }
  std::vector<RowIndex>& rows = atom.rows;
  // Entries outside the old support changed from 0.
  SparseAtom<Scalar> fresh;
  for (std::size_t r = 0; r < column.size(); ++r) {
    if (column[r] == 0) continue;
    fresh.rows.push_back(static_cast<RowIndex>(r));
    fresh.values.push_back(column[r]);
  }
  std::size_t q = 0;
  for (std::size_t p = 0; p < fresh.rows.size(); ++p) {
    while (q < rows.size() && rows[q] < fresh.rows[p]) ++q;
    if (q < rows.size() && rows[q] == fresh.rows[p]) continue;
    change = std::max(change, std::abs(static_cast<double>(fresh.values[p])));
  }
  atom = std::move(fresh);
  return change;
}

}  // namespace

template <class Scalar>
UpdateResult update_sparse(Dictionary<Scalar>& dictionary,
                           const Memory& memory,
                           const UpdateOptions& options,
                           const BisectionOptions& bisection) {
  const Index m = dictionary.dimension(), k = dictionary.size();
  const Matrix<double>& A = memory.A();
  const Matrix<double>& B = memory.B();
  std::vector<SparseAtom<Scalar>> D = unpack(dictionary);
  Vector<double> numerator(m);
  std::vector<Scalar> u(m), old(m, Scalar(0));
  TurnRules rules(options, m, k > 0 ? A.diagonal().maxCoeff() : 0, dictionary.alive());
  UpdateResult result;
  while (result.sweeps < options.max_sweeps && !result.converged) {  // Alg.1 step 12
    result.change = 0;
    for (Index j = 0; j < k; ++j) {  // Alg.1 step 13
      const bool was_zero = D[j].rows.empty();
      const auto action = rules.action(A(j, j), was_zero);
      if (action == TurnRules::Action::Leave) continue;
      if (action == TurnRules::Action::Zero) {
        std::fill(u.begin(), u.end(), Scalar(0));
      } else {
        numerator = B.col(j);  // Alg.1 step 14
        for (Index l = 0; l < k; ++l) {
          const double a = A(l, j);
          if (a == 0 || l == j) continue;
          const SparseAtom<Scalar>& d = D[l];
          for (std::size_t p = 0; p < d.rows.size(); ++p) {
            numerator[d.rows[p]] -= a * static_cast<double>(d.values[p]);
          }
        }
        const double inverse = 1 / A(j, j);
        for (Index r = 0; r < m; ++r) u[r] = static_cast<Scalar>(numerator[r] * inverse);
        sparsify_shrink_project<Scalar>(u, options, bisection);  // Alg.1 steps 15-17
      }
      const bool is_zero = std::all_of(u.begin(), u.end(), [](Scalar v) { return v == 0; });
      if (is_zero && !was_zero) {
        if (rules.refuses_death()) continue;
        rules.died();
      } else if (!is_zero && was_zero) {
        rules.revived();
      }
      result.change = std::max(result.change, replace(D[j], u, old));
    }
    ++result.sweeps;
    result.converged = result.change < options.tolerance;  // Alg.1 step 19
  }
  dictionary.replace_by_sparse(pack(D, m));
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
