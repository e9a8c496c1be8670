// Which samples a model has learned from: how a resumed run finds its place and knows that the
// inputs are the same.
#pragma once

#include <cstdint>

#include "nodl/batch.h"

namespace nodl {

/// A hash of samples in their order: of their values alone, the same whether they are stored dense
/// or sparse, in float32 or float64, in one file or several. Not meant against an adversary.
struct SampleDigest {
  std::int64_t samples = 0;
  std::uint64_t hash = 0;

  /// As if the samples of `next` had followed.
  void append(const SampleDigest& next);

  bool operator==(const SampleDigest&) const = default;
};

template <class Scalar>
SampleDigest digest_of(const Batch<Scalar>& batch);

/// The samples of a stream that were learned, as they came, before centring and scaling.
struct StreamPlace {
  SampleDigest all;
  SampleDigest last_batch;

  void append_batch(const SampleDigest& batch) {
    all.append(batch);
    last_batch = batch;
  }

  bool operator==(const StreamPlace&) const = default;
};

}  // namespace nodl
