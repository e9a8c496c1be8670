// Parts that the writers of the formats share. To add a format: a function here, its line in
// row_writer.cpp.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io {

std::unique_ptr<RowWriter> make_npy_writer(const std::string& path, Index columns);
std::unique_ptr<RowWriter> make_text_writer(const std::string& path, Index columns, char delimiter);
std::unique_ptr<RowWriter> make_npz_writer(const std::string& path, Index columns);
std::unique_ptr<RowWriter> make_mtx_writer(const std::string& path, Index columns);

/// NumPy's name of a number in this machine's byte order.
template <class Number>
std::string npy_descr() {
  const std::string order = std::endian::native == std::endian::little ? "<" : ">";
  return order + (std::is_floating_point_v<Number> ? "f" : "i") + std::to_string(sizeof(Number));
}

/// Checks the width of blocks. `Derived` has templates write_dense(ConstMatrixView<Scalar>) and
/// write_sparse(SparseColumns<Scalar>), and complete().
template <class Derived>
class TypedWriter : public RowWriter {
 public:
  explicit TypedWriter(Index columns) : columns_(columns) {}

  void write(const ConstMatrixView<double>& block) final { dense(block); }
  void write(const ConstMatrixView<float>& block) final { dense(block); }
  void write(const SparseColumns<double>& block) final { sparse(block); }
  void write(const SparseColumns<float>& block) final { sparse(block); }
  void finish() final { self().complete(); }

 protected:
  Index columns() const { return columns_; }
  Index rows() const { return rows_; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  void check(Index width) const {
    if (width != columns_) {
      throw ShapeMismatch("expected rows of " + std::to_string(columns_) + " numbers, found " +
                          std::to_string(width));
    }
  }
  template <class Scalar>
  void dense(const ConstMatrixView<Scalar>& block) {
    check(block.rows());
    self().write_dense(block);
    rows_ += block.cols();
  }
  template <class Scalar>
  void sparse(const SparseColumns<Scalar>& block) {
    check(block.rows);
    self().write_sparse(block);
    rows_ += block.cols;
  }

  Index columns_;
  Index rows_ = 0;
};

/// A dense format: `Derived` has template <class Scalar> void write_row(const Scalar*).
template <class Derived>
class DenseWriter : public TypedWriter<Derived> {
 public:
  using TypedWriter<Derived>::TypedWriter;

  template <class Scalar>
  void write_dense(const ConstMatrixView<Scalar>& block) {
    for (Index j = 0; j < block.cols(); ++j) {
      static_cast<Derived&>(*this).write_row(block.data() + j * block.outerStride());
    }
  }
  template <class Scalar>
  void write_sparse(const SparseColumns<Scalar>& block) {
    std::vector<Scalar> row(static_cast<std::size_t>(block.rows), Scalar(0));
    for (Index j = 0; j < block.cols; ++j) {
      for (Index p = block.starts[j]; p < block.starts[j + 1]; ++p) {
        row[static_cast<std::size_t>(block.indices[p])] = block.values[p];
      }
      static_cast<Derived&>(*this).write_row(row.data());
      for (Index p = block.starts[j]; p < block.starts[j + 1]; ++p) {
        row[static_cast<std::size_t>(block.indices[p])] = 0;
      }
    }
  }
};

/// Calls visit(row of the block, column, value) for the nonzeros.
template <class Scalar, class Visitor>
void visit_nonzeros(const ConstMatrixView<Scalar>& block, Visitor&& visit) {
  for (Index j = 0; j < block.cols(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      if (block(i, j) != 0) visit(j, i, block(i, j));
    }
  }
}
template <class Scalar, class Visitor>
void visit_nonzeros(const SparseColumns<Scalar>& block, Visitor&& visit) {
  for (Index j = 0; j < block.cols; ++j) {
    for (Index p = block.starts[j]; p < block.starts[j + 1]; ++p) {
      if (block.values[p] != 0) visit(j, Index{block.indices[p]}, block.values[p]);
    }
  }
}

}  // namespace nodl::io
