// Codes as Python wants them: a dense array or the parts of a CSR matrix.
#pragma once

#include "nodl/slots.h"
#include "samples.h"

namespace nodl::python {

/// Where the coefficient of each atom goes. With split signs, negative ones go `width` columns
/// further, as positive numbers.
struct CodeLayout {
  std::vector<std::int64_t> column;  // of each atom
  std::int64_t width = 0;
  bool split_sign = false;

  std::int64_t columns() const { return split_sign ? 2 * width : width; }
  /// The atom of each of the `width` columns; -1: none.
  std::vector<RowIndex> atoms() const {
    std::vector<RowIndex> atoms(static_cast<std::size_t>(width), -1);
    for (std::size_t j = 0; j < column.size(); ++j) atoms[column[j]] = static_cast<RowIndex>(j);
    return atoms;
  }
};

inline CodeLayout atom_layout(std::int64_t atoms, bool split_sign) {
  CodeLayout layout{{}, atoms, split_sign};
  for (std::int64_t j = 0; j < atoms; ++j) layout.column.push_back(j);
  return layout;
}

template <class Scalar>
CodeLayout slot_layout(const Model<Scalar>& model, bool split_sign) {
  CodeLayout layout{{}, slot_count(model.progress, model.options.birth.max_atoms), split_sign};
  for (const AtomRecord& record : model.dictionary.records()) layout.column.push_back(record.slot);
  return layout;
}

/// Writes the codes into rows of `out`, which is zero.
template <class Scalar>
void scatter(const SparseMatrix<Scalar>& codes, const CodeLayout& layout, Scalar* out) {
  for (Index i = 0; i < codes.cols(); ++i, out += layout.columns()) {
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      const Scalar value = codes.values[p];
      const bool below = layout.split_sign && value < 0;
      out[layout.column[codes.indices[p]] + (below ? layout.width : 0)] = below ? -value : value;
    }
  }
}

/// (indptr, indices, data) of codes in the order of atoms.
template <class Scalar>
py::tuple csr(const SparseMatrix<Scalar>& codes, bool split_sign) {
  if (!split_sign) {
    return py::make_tuple(array_of(codes.starts), array_of(codes.indices), array_of(codes.values));
  }
  SparseMatrix<Scalar> split;
  for (Index i = 0; i < codes.cols(); ++i) {
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      if (codes.values[p] > 0) split.push(codes.indices[p], codes.values[p]);
    }
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      if (codes.values[p] < 0) split.push(codes.indices[p] + codes.rows, -codes.values[p]);
    }
    split.end_column();
  }
  return csr(split, false);
}

}  // namespace nodl::python
