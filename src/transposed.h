#pragma once

#include "nodl/sparse.h"

namespace nodl {

/// Transpose of compressed columns, by counting.
template <class Scalar>
SparseMatrix<Scalar> transposed(const SparseColumns<Scalar>& a) {
  SparseMatrix<Scalar> t;
  t.rows = a.cols;
  t.starts.assign(a.rows + 1, 0);
  t.indices.resize(a.nonzeros());
  t.values.resize(a.nonzeros());
  for (Index p = 0; p < a.nonzeros(); ++p) ++t.starts[a.indices[p] + 1];
  for (Index r = 0; r < a.rows; ++r) t.starts[r + 1] += t.starts[r];
  std::vector<Index> next(t.starts.begin(), t.starts.end() - 1);
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.starts[j]; p < a.starts[j + 1]; ++p) {
      const Index q = next[a.indices[p]]++;
      t.indices[q] = static_cast<RowIndex>(j);
      t.values[q] = a.values[p];
    }
  }
  return t;
}

}  // namespace nodl
