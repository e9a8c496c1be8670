// Both overloads of SampleReader::read() from one template.
#pragma once

#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// `Derived` has template <class Scalar> Batch<Scalar> read_samples(Index, SampleBuffer<Scalar>&).
template <class Derived>
class TypedReader : public SampleReader {
 public:
  Batch<double> read(Index count, SampleBuffer<double>& buffer) final {
    return static_cast<Derived*>(this)->template read_samples<double>(count, buffer);
  }
  Batch<float> read(Index count, SampleBuffer<float>& buffer) final {
    return static_cast<Derived*>(this)->template read_samples<float>(count, buffer);
  }
};

}  // namespace nodl::io
