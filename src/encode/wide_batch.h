#pragma once

#include <vector>

#include "nodl/batch.h"

namespace nodl {

/// A float32 batch in float64.
class WideBatch {
 public:
  explicit WideBatch(const Batch<float>& batch) : sparse_(batch.is_sparse()) {
    if (!sparse_) {
      dense_ = batch.matrix().cast<double>();
      return;
    }
    columns_ = batch.columns();
    const Index first = columns_.starts[0], past = columns_.starts[columns_.cols];
    values_.assign(columns_.values + first, columns_.values + past);
  }
  Batch<double> batch() const {
    if (!sparse_) return Batch<double>::dense(dense_);
    return Batch<double>::sparse({columns_.rows,
                                  columns_.cols,
                                  columns_.starts,
                                  columns_.indices,
                                  values_.data() - columns_.starts[0]});
  }

 private:
  bool sparse_;
  Matrix<double> dense_;
  SparseColumns<float> columns_;
  std::vector<double> values_;
};

}  // namespace nodl
