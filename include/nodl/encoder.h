// Alg.1 steps 4 and 9: codes of a batch.
#pragma once

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"
#include "nodl/options.h"
#include "nodl/sparse.h"
#include "nodl/thread_pool.h"

namespace nodl {

/// k x n, one sparse code a column, with the lambda_c that each sample's code is the LASSO solution
/// for (lars, cd), the threshold (threshold), or 0.
template <class Scalar>
struct Codes {
  SparseMatrix<Scalar> columns;
  std::vector<Scalar> lambda;

  Index samples() const { return columns.cols(); }
};

template <class Scalar>
Codes<Scalar> encode(const CodingDictionary<Scalar>& dictionary,
                     const Batch<Scalar>& batch,
                     const CodingOptions& options,
                     const BisectionOptions& bisection,
                     ThreadPool& pool);

}  // namespace nodl
