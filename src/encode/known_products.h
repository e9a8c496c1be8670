// What one coding of a batch leaves to the next: step 9 of Algorithm 1 codes the samples of step 4
// again, with a few atoms more.
#pragma once

#include <vector>

#include "nodl/types.h"

namespace nodl {

/// D^T x of a few samples, in float32 and, where samples are sparse, in the data's precision too.
template <class Scalar>
struct Correlated {
  Matrix<float> narrow;
  Matrix<Scalar> exact;
  Vector<float> norms;  // |x|, to which the rounding of `narrow` is relative
};

/// Products of atoms with each other and with the samples. Filled by the first coding, used up by
/// the second: in between, atoms may be appended, but none may change.
template <class Scalar>
struct KnownProducts {
  Matrix<float> gram;                          // or, where certificates are made from it,
  Matrix<Scalar> exact_gram;                   // that in the data's precision
  std::vector<Correlated<Scalar>> correlated;  // by block of samples
};

}  // namespace nodl
