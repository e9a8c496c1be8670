#pragma once

#include <vector>

#include "nodl/batch.h"

namespace nodl {

/// Batches in float64, one after the other: float32 ones are copied to the same memory each time,
/// so a piece of work of few samples stays in the cache, and no second copy of a batch is needed.
class WideBatch {
 public:
  Batch<double> of(const Batch<double>& batch) { return batch; }

  /// Good until the next call.
  Batch<double> of(const Batch<float>& batch) {
    if (!batch.is_sparse()) {
      dense_ = batch.matrix().cast<double>();
      return Batch<double>::dense(dense_);
    }
    const SparseColumns<float>& x = batch.columns();
    const Index first = x.starts[0], past = x.starts[x.cols];
    values_.assign(x.values + first, x.values + past);
    return Batch<double>::sparse({x.rows, x.cols, x.starts, x.indices, values_.data() - first});
  }

 private:
  Matrix<double> dense_;
  std::vector<double> values_;
};

}  // namespace nodl
