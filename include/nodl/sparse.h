// Sparse columns: atoms, codes and sparse samples share one layout.
#pragma once

#include <vector>

#include "nodl/types.h"

namespace nodl {

/// A view of compressed sparse columns; row indices rise within a column.
template <class Scalar>
struct SparseColumns {
  Index rows = 0;
  Index cols = 0;
  const Index* starts = nullptr;  // cols + 1 offsets into `indices` and `values`
  const RowIndex* indices = nullptr;
  const Scalar* values = nullptr;

  Index nonzeros(Index j) const { return starts[j + 1] - starts[j]; }
  Index nonzeros() const { return cols == 0 ? 0 : starts[cols] - starts[0]; }
  /// Columns first, ..., first + count - 1.
  SparseColumns middle(Index first, Index count) const {
    return {rows, count, starts + first, indices, values};
  }
};

/// The same, owned.
template <class Scalar>
struct SparseMatrix {
  Index rows = 0;
  std::vector<Index> starts{0};
  std::vector<RowIndex> indices;
  std::vector<Scalar> values;

  Index cols() const { return static_cast<Index>(starts.size()) - 1; }
  Index nonzeros() const { return static_cast<Index>(values.size()); }
  SparseColumns<Scalar> view() const {
    return {rows, cols(), starts.data(), indices.data(), values.data()};
  }
  void push(Index row, Scalar value) {
    indices.push_back(static_cast<RowIndex>(row));
    values.push_back(value);
  }
  void end_column() { starts.push_back(nonzeros()); }
  void clear() {
    starts.assign(1, 0);
    indices.clear();
    values.clear();
  }
  Matrix<Scalar> to_dense() const {
    Matrix<Scalar> dense = Matrix<Scalar>::Zero(rows, cols());
    for (Index j = 0; j < cols(); ++j) {
      for (Index p = starts[j]; p < starts[j + 1]; ++p) dense(indices[p], j) = values[p];
    }
    return dense;
  }
};

}  // namespace nodl
