// Least squares on the supports that a coder chose.
#pragma once

#include "nodl/encoder.h"

namespace nodl {

/// Atoms of a support that depend on its others get nothing.
template <class Scalar>
Codes<Scalar> refitted(const CodingDictionary<Scalar>& dictionary,
                       const Batch<Scalar>& batch,
                       const Codes<Scalar>& codes,
                       ThreadPool& pool);

}  // namespace nodl
