#pragma once

#include "encode/known_products.h"
#include "nodl/encoder.h"

namespace nodl {

/// encode() of samples that are known to have the atoms' length and numbers that can be squared.
/// `known`, if given, is filled or, where it is filled, used up.
template <class Scalar>
Codes<Scalar> encode_checked(const CodingDictionary<Scalar>& dictionary,
                             const Batch<Scalar>& batch,
                             const CodingOptions& options,
                             const BisectionOptions& bisection,
                             ThreadPool& pool,
                             KnownProducts<Scalar>* known = nullptr);

}  // namespace nodl
