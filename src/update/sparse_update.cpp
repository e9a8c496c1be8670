// Sparse atoms: step 14 costs the nonzeros of b_j and of the atoms that share samples with atom j,
// and no dense D is ever touched. An atom whose neighbours have not changed since its last turn is
// what it would become, and is passed over.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "update/atom_prox.h"
#include "update/turn.h"
#include "update/updates.h"

namespace nodl {
namespace {

template <class Scalar>
struct SparseAtom {
  std::vector<RowIndex> rows;  // rising
  std::vector<Scalar> values;  // not zero
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

template <class Scalar>
double largest_change(const SparseAtom<Scalar>& a, const SparseAtom<Scalar>& b) {
  double change = 0;
  std::size_t p = 0, q = 0;
  while (p < a.rows.size() || q < b.rows.size()) {
    const bool from_a = q == b.rows.size() || (p < a.rows.size() && a.rows[p] <= b.rows[q]);
    const bool from_b = p == a.rows.size() || (q < b.rows.size() && b.rows[q] <= a.rows[p]);
    const double x = from_a ? a.values[p++] : Scalar(0);
    const double y = from_b ? b.values[q++] : Scalar(0);
    change = std::max(change, std::abs(x - y));
  }
  return change;
}

/// Where the columns of B are not zero; a column with many nonzeros is taken whole.
std::vector<std::vector<RowIndex>> supports(const Matrix<double>& B) {
  std::vector<std::vector<RowIndex>> rows(B.cols());
  const std::size_t many = static_cast<std::size_t>(B.rows()) / 4;
  for (Index j = 0; j < B.cols(); ++j) {
    const double* b = B.col(j).data();
    for (Index r = 0; r < B.rows() && rows[j].size() <= many; ++r) {
      if (b[r] != 0) rows[j].push_back(static_cast<RowIndex>(r));
    }
    if (rows[j].size() > many) {
      rows[j].resize(B.rows());
      std::iota(rows[j].begin(), rows[j].end(), RowIndex(0));
    }
  }
  return rows;
}

/// Step 14 for one atom at a time, on the coordinates that are not zero.
template <class Scalar>
class Column {
 public:
  Column(const Memory& memory, const std::vector<SparseAtom<Scalar>>& D)
      : A_(memory.A()),
        B_(memory.B()),
        D_(D),
        support_(supports(memory.B())),
        sum_(Vector<double>::Zero(B_.rows())),
        marked_(B_.rows(), 0) {}

  /// u_j on rows_; all other coordinates are zero.
  std::span<Scalar> solve(Index j) {
    rows_ = support_[j];
    const bool whole = static_cast<Index>(rows_.size()) == B_.rows();
    if (whole) {
      sum_ = B_.col(j);
    } else {
      for (const RowIndex r : rows_) {
        sum_[r] = B_(r, j);
        marked_[r] = 1;
      }
    }
    for (Index l = 0; l < A_.rows(); ++l) {
      const double a = A_(l, j);
      if (a == 0 || l == j) continue;
      subtract(a, D_[l], !whole);
    }
    const double inverse = 1 / A_(j, j);
    u_.resize(rows_.size());
    if (whole) {
      for (Index r = 0; r < B_.rows(); ++r) u_[r] = static_cast<Scalar>(sum_[r] * inverse);
      sum_.setZero();
    } else {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        u_[i] = static_cast<Scalar>(sum_[rows_[i]] * inverse);
        sum_[rows_[i]] = 0;
        marked_[rows_[i]] = 0;
      }
    }
    return u_;
  }

  /// The nonzeros of u, which steps 15-17 have worked on, in the order of rows.
  SparseAtom<Scalar> nonzeros() {
    order_.clear();
    for (std::size_t i = 0; i < u_.size(); ++i) {
      if (u_[i] != 0) order_.emplace_back(rows_[i], u_[i]);
    }
    std::sort(order_.begin(), order_.end());
    SparseAtom<Scalar> atom;
    for (const auto& [row, value] : order_) {
      atom.rows.push_back(row);
      atom.values.push_back(value);
    }
    return atom;
  }

 private:
  void subtract(double a, const SparseAtom<Scalar>& d, bool list_new_rows) {
    for (std::size_t p = 0; p < d.rows.size(); ++p) {
      sum_[d.rows[p]] -= a * static_cast<double>(d.values[p]);
    }
    if (!list_new_rows) return;
    for (const RowIndex r : d.rows) {
      if (marked_[r]) continue;
      marked_[r] = 1;
      rows_.push_back(r);
    }
  }

  const Matrix<double>& A_;
  const Matrix<double>& B_;
  const std::vector<SparseAtom<Scalar>>& D_;
  std::vector<std::vector<RowIndex>> support_;
  Vector<double> sum_;        // zero between calls
  std::vector<char> marked_;  // likewise
  std::vector<RowIndex> rows_;
  std::vector<Scalar> u_;
  std::vector<std::pair<RowIndex, Scalar>> order_;
};

/// Which atoms would come out as they are, because nothing that they depend on has changed.
class Changes {
 public:
  explicit Changes(const Matrix<double>& A) : A_(A), changed_(A.cols(), 0), solved_(A.cols(), -1) {}

  bool settled(Index j) const {
    if (solved_[j] < 0) return false;
    for (Index l = 0; l < A_.rows(); ++l) {
      if (changed_[l] > solved_[j] && l != j && A_(l, j) != 0) return false;
    }
    return true;
  }
  void solved(Index j, bool changed) {
    solved_[j] = ++turn_;
    if (changed) changed_[j] = turn_;
  }

 private:
  const Matrix<double>& A_;
  Index turn_ = 0;
  std::vector<Index> changed_;  // turn of the last change
  std::vector<Index> solved_;   // turn of the last solution; -1: none yet
};

}  // namespace

template <class Scalar>
UpdateResult update_sparse(Dictionary<Scalar>& dictionary,
                           const Memory& memory,
                           const UpdateOptions& options,
                           const BisectionOptions& bisection) {
  const Index m = dictionary.dimension(), k = dictionary.size();
  const Matrix<double>& A = memory.A();
  std::vector<SparseAtom<Scalar>> D = unpack(dictionary);
  Column<Scalar> column(memory, D);
  Changes changes(A);
  TurnRules rules(options, m, k > 0 ? A.diagonal().maxCoeff() : 0, dictionary.alive());
  UpdateResult result;
  while (result.sweeps < options.max_sweeps && !result.converged) {  // Alg.1 step 12
    result.change = 0;
    for (Index j = 0; j < k; ++j) {  // Alg.1 step 13
      const bool was_zero = D[j].rows.empty();
      const auto action = rules.action(A(j, j), was_zero);
      if (action == TurnRules::Action::Leave || changes.settled(j)) continue;
      SparseAtom<Scalar> d;
      if (action == TurnRules::Action::Solve) {
        const std::span<Scalar> u = column.solve(j);             // Alg.1 step 14
        sparsify_shrink_project<Scalar>(u, options, bisection);  // Alg.1 steps 15-17
        d = column.nonzeros();
      }
      const bool is_zero = d.rows.empty();
      if (is_zero && !was_zero) {
        if (rules.refuses_death()) continue;
        rules.died();
      } else if (!is_zero && was_zero) {
        rules.revived();
      }
      const double change = largest_change(D[j], d);
      result.change = std::max(result.change, change);
      changes.solved(j, change > 0);
      D[j] = std::move(d);
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
