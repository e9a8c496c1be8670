// LASSO codes of a batch, most of them by the fast search; the rest is left to others.
#pragma once

#include <vector>

#include "encode/known_products.h"
#include "nodl/encoder.h"

namespace nodl {

/// Whether codes are LASSO solutions that a search in float32 can be expected to find.
template <class Scalar>
bool searchable(const CodingDictionary<Scalar>& dictionary, const CodingOptions& options);

/// Codes by search and certificate; those of the samples in `left` could not be certified and are
/// empty. `known`, if given, is filled or, where it is filled, used up.
template <class Scalar>
Codes<Scalar> encode_by_search(const CodingDictionary<Scalar>& dictionary,
                               const Batch<Scalar>& batch,
                               const CodingOptions& options,
                               ThreadPool& pool,
                               std::vector<Index>& left,
                               KnownProducts<Scalar>* known);

}  // namespace nodl
