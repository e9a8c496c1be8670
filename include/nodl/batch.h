// A batch of samples, dense or sparse, that somebody else owns.
#pragma once

#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl {

/// m x n: a sample is a column. A row-major n x m array in memory (NumPy's default) is just that.
template <class Scalar>
class Batch {
 public:
  /// Samples `stride` numbers apart (m if they follow each other).
  static Batch dense(const Scalar* data, Index dimension, Index samples, Index stride) {
    Batch batch;
    batch.data_ = data;
    batch.stride_ = stride;
    batch.sparse_.rows = dimension;
    batch.sparse_.cols = samples;
    return batch;
  }
  static Batch dense(const Matrix<Scalar>& samples) {
    return dense(samples.data(), samples.rows(), samples.cols(), samples.rows());
  }
  static Batch sparse(const SparseColumns<Scalar>& samples) {
    Batch batch;
    batch.sparse_ = samples;
    return batch;
  }
  static Batch sparse(const SparseMatrix<Scalar>& samples) { return sparse(samples.view()); }

  Index dimension() const { return sparse_.rows; }
  Index samples() const { return sparse_.cols; }
  bool is_sparse() const { return sparse_.starts != nullptr; }

  /// Only if dense.
  ConstMatrixView<Scalar> matrix() const {
    return {data_, sparse_.rows, sparse_.cols, Eigen::OuterStride<>(stride_)};
  }
  const Scalar* sample(Index i) const { return data_ + i * stride_; }
  Index stride() const { return stride_; }
  /// Only if sparse.
  const SparseColumns<Scalar>& columns() const { return sparse_; }

  Batch middle(Index first, Index count) const {
    if (is_sparse()) return sparse(sparse_.middle(first, count));
    return dense(data_ + first * stride_, sparse_.rows, count, stride_);
  }

 private:
  const Scalar* data_ = nullptr;
  Index stride_ = 0;
  SparseColumns<Scalar> sparse_;
};

}  // namespace nodl
