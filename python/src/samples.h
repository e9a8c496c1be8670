// Samples as Python holds them, seen as nodl::Batch without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <stdexcept>

#include "nodl/batch.h"

namespace nodl::python {

namespace py = pybind11;

/// An array of just this type: a wrong one is an error, not a hidden copy.
template <class T>
py::array_t<T> exactly(const py::handle& object, const char* what) {
  if (!py::isinstance<py::array_t<T>>(object)) throw py::type_error(what);
  return py::reinterpret_borrow<py::array_t<T>>(object);
}

/// A 2-d array whose rows lie in one piece each, or the parts of a CSR matrix: (indptr, indices,
/// data, columns) with 64-bit indptr and 32-bit indices. Keeps the arrays alive.
template <class Scalar>
class Samples {
 public:
  explicit Samples(const py::object& object) {
    if (py::isinstance<py::tuple>(object)) {
      from_csr(object.cast<py::tuple>());
    } else {
      from_array(object);
    }
  }

  const Batch<Scalar>& batch() const { return batch_; }

 private:
  void from_array(const py::object& object) {
    const auto x = exactly<Scalar>(object, "samples must be an array of the model's precision");
    if (x.ndim() != 2) throw py::value_error("samples must have two dimensions");
    constexpr py::ssize_t size = sizeof(Scalar);
    const Index n = x.shape(0), m = x.shape(1);
    const bool rows_whole = m <= 1 || x.strides(1) == size;
    const bool rows_apart = n <= 1 || (x.strides(0) >= m * size && x.strides(0) % size == 0);
    if (!rows_whole || !rows_apart) throw py::value_error("samples must be in C order");
    batch_ = Batch<Scalar>::dense(x.data(), m, n, n <= 1 ? m : x.strides(0) / size);
    kept_ = x;
  }

  void from_csr(const py::tuple& parts) {
    if (parts.size() != 4) throw py::value_error("expected indptr, indices, data, columns");
    const auto starts = exactly<std::int64_t>(parts[0], "indptr must be int64");
    const auto indices = exactly<RowIndex>(parts[1], "indices must be int32");
    const auto values = exactly<Scalar>(parts[2], "data must have the model's precision");
    require_packed(starts);
    require_packed(indices);
    require_packed(values);
    SparseColumns<Scalar> columns;
    columns.rows = parts[3].cast<Index>();
    columns.cols = starts.size() - 1;
    columns.starts = starts.data();
    columns.indices = indices.data();
    columns.values = values.data();
    check(columns, std::min(indices.size(), values.size()));
    batch_ = Batch<Scalar>::sparse(columns);
    kept_ = parts;
  }

  template <class T>
  static void require_packed(const py::array_t<T>& x) {
    if (x.ndim() != 1 || (x.size() > 1 && x.strides(0) != sizeof(T))) {
      throw py::value_error("parts of a CSR matrix must be packed");
    }
  }

  static void check(const SparseColumns<Scalar>& x, Index stored) {
    if (x.cols < 0 || x.rows < 0 || x.starts[0] < 0) throw py::value_error("indptr is malformed");
    for (Index i = 0; i < x.cols; ++i) {
      if (x.starts[i + 1] < x.starts[i] || x.starts[i + 1] > stored) {
        throw py::value_error("indptr is malformed");
      }
      RowIndex previous = -1;
      for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
        if (x.indices[p] <= previous || x.indices[p] >= x.rows) {
          throw py::value_error("indices must rise inside the number of columns");
        }
        previous = x.indices[p];
      }
    }
  }

  Batch<Scalar> batch_;
  py::object kept_;
};

template <class Scalar>
bool all_finite(const Batch<Scalar>& batch) {
  // 0 x is 0 for finite numbers and NaN for others; a sum of them says it of all, without a branch.
  Scalar sum = 0;
  const auto add = [&](const Scalar* values, Index count) {
    for (Index i = 0; i < count; ++i) sum += Scalar(0) * values[i];
  };
  if (batch.is_sparse()) {
    add(batch.columns().values + batch.columns().starts[0], batch.columns().nonzeros());
  } else {
    for (Index i = 0; i < batch.samples(); ++i) add(batch.sample(i), batch.dimension());
  }
  return sum == 0;
}

/// A column-major matrix as the row-major array that Python expects, one column a row.
template <class Scalar>
py::array_t<Scalar> rows_of_columns(const Matrix<Scalar>& columns) {
  py::array_t<Scalar> rows({columns.cols(), columns.rows()});
  std::copy_n(columns.data(), columns.size(), rows.mutable_data());
  return rows;
}

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace nodl::python
