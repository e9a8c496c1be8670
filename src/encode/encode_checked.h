#pragma once

#include "nodl/encoder.h"

namespace nodl {

/// encode() of samples that are known to have the atoms' length and numbers that can be squared.
template <class Scalar>
Codes<Scalar> encode_checked(const CodingDictionary<Scalar>& dictionary,
                             const Batch<Scalar>& batch,
                             const CodingOptions& options,
                             const BisectionOptions& bisection,
                             ThreadPool& pool);

}  // namespace nodl
