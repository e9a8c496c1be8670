#include "nodl/dictionary.h"

#include <algorithm>

#include "nodl/error.h"

namespace nodl {

template <class Scalar>
Dictionary<Scalar>::Dictionary(Index dimension) : dense_(dimension, 0) {
  sparse_.rows = dimension;
}

template <class Scalar>
Dictionary<Scalar>::Dictionary(SparseMatrix<Scalar> sparse,
                               Matrix<Scalar> dense,
                               std::vector<AtomRecord> records)
    : sparse_(std::move(sparse)), dense_(std::move(dense)), records_(std::move(records)) {
  if (dense_.rows() != dimension() || size() != static_cast<Index>(records_.size())) {
    throw ShapeMismatch("atoms and records do not fit each other");
  }
}

template <class Scalar>
Index Dictionary<Scalar>::alive() const {
  Index count = 0;
  for (Index j = 0; j < size(); ++j) count += is_zero(j) ? 0 : 1;
  return count;
}

template <class Scalar>
void Dictionary<Scalar>::copy_atom(Index j, Scalar* out) const {
  Eigen::Map<Vector<Scalar>> atom(out, dimension());
  if (j >= sparse_size()) {
    atom = dense_.col(j - sparse_size());
    return;
  }
  atom.setZero();
  for (Index p = sparse_.starts[j]; p < sparse_.starts[j + 1]; ++p) {
    atom[sparse_.indices[p]] = sparse_.values[p];
  }
}

template <class Scalar>
bool Dictionary<Scalar>::is_zero(Index j) const {
  if (j >= sparse_size()) return dense_.col(j - sparse_size()).isZero(0);
  return std::all_of(sparse_.values.begin() + sparse_.starts[j],
                     sparse_.values.begin() + sparse_.starts[j + 1],
                     [](Scalar value) { return value == 0; });
}

template <class Scalar>
Matrix<Scalar> Dictionary<Scalar>::to_dense() const {
  Matrix<Scalar> atoms(dimension(), size());
  for (Index j = 0; j < size(); ++j) copy_atom(j, atoms.col(j).data());
  return atoms;
}

template <class Scalar>
void Dictionary<Scalar>::append(const Matrix<Scalar>& atoms,
                                const std::vector<AtomRecord>& records) {
  if (atoms.rows() != dimension() || atoms.cols() != static_cast<Index>(records.size())) {
    throw ShapeMismatch("atoms to append do not fit the dictionary");
  }
  const Index before = dense_.cols();
  dense_.conservativeResize(dimension(), before + atoms.cols());
  dense_.rightCols(atoms.cols()) = atoms;
  records_.insert(records_.end(), records.begin(), records.end());
}

template <class Scalar>
void Dictionary<Scalar>::replace_by_sparse(SparseMatrix<Scalar> atoms) {
  if (atoms.rows != dimension() || atoms.cols() != size()) {
    throw ShapeMismatch("sparse atoms do not fit the dictionary");
  }
  sparse_ = std::move(atoms);
  dense_.resize(dimension(), 0);
}

template <class Scalar>
void Dictionary<Scalar>::replace_atom(Index j, const Scalar* values) {
  if (j >= sparse_size()) {
    dense_.col(j - sparse_size()) = Eigen::Map<const Vector<Scalar>>(values, dimension());
    return;
  }
  SparseMatrix<Scalar> atoms;
  atoms.rows = dimension();
  for (Index l = 0; l < sparse_size(); ++l) {
    if (l == j) {
      for (Index r = 0; r < dimension(); ++r) {
        if (values[r] != 0) atoms.push(r, values[r]);
      }
    } else {
      for (Index p = sparse_.starts[l]; p < sparse_.starts[l + 1]; ++p) {
        atoms.push(sparse_.indices[p], sparse_.values[p]);
      }
    }
    atoms.end_column();
  }
  sparse_ = std::move(atoms);
}

template <class Scalar>
void Dictionary<Scalar>::keep(const std::vector<bool>& keep) {
  const Index old_sparse = sparse_size();
  Index dense_kept = 0;
  std::size_t records_kept = 0;
  SparseMatrix<Scalar> kept;
  kept.rows = dimension();
  for (Index j = 0; j < static_cast<Index>(keep.size()); ++j) {
    if (!keep[j]) continue;
    records_[records_kept++] = records_[j];
    if (j >= old_sparse) {
      dense_.col(dense_kept++) = dense_.col(j - old_sparse);
      continue;
    }
    for (Index p = sparse_.starts[j]; p < sparse_.starts[j + 1]; ++p) {
      kept.push(sparse_.indices[p], sparse_.values[p]);
    }
    kept.end_column();
  }
  sparse_ = std::move(kept);
  dense_.conservativeResize(dimension(), dense_kept);
  records_.resize(records_kept);
}

template <class Scalar>
template <class Other>
Dictionary<Other> Dictionary<Scalar>::cast() const {
  SparseMatrix<Other> sparse;
  sparse.rows = dimension();
  sparse.starts = sparse_.starts;
  sparse.indices = sparse_.indices;
  sparse.values.assign(sparse_.values.begin(), sparse_.values.end());
  return {std::move(sparse), dense_.template cast<Other>(), records_};
}

template class Dictionary<double>;
template class Dictionary<float>;
template Dictionary<double> Dictionary<float>::cast<double>() const;
template Dictionary<float> Dictionary<double>::cast<float>() const;

}  // namespace nodl
