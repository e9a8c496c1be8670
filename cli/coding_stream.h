// An input as the model saw its training samples: preprocessed, in blocks.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>

#include "input_flags.h"
#include "nodl/error.h"
#include "nodl/io/sample_stream.h"
#include "nodl/model.h"

namespace nodl::cli {

constexpr Index kCodingBlock = 1024;  // samples coded at a time

/// Throws DataError, with both sizes, unless they are equal.
inline void require_dimension(const std::string& input, Index found, Index expected) {
  if (found == expected) return;
  throw DataError(
      fmt::format("{}: samples have {} numbers, the model's have {}", input, found, expected));
}

/// Throws DataError if there are none: an output without rows would look like success.
inline void require_samples(const std::string& path, Index samples) {
  if (samples > 0) return;
  throw DataError(shown_input(path) + ": not one sample in the input; see --rows");
}

/// Throws DataError if the samples are not of the model's size.
template <class Scalar>
std::unique_ptr<io::SampleStream<Scalar>> coding_stream(const Model<Scalar>& model,
                                                        const std::string& path,
                                                        io::ReadOptions read) {
  read.model_columns = model.dictionary.dimension();
  io::StreamOptions options;
  options.batch_size = kCodingBlock;
  options.preprocess = model.options.preprocess;
  auto stream =
      std::make_unique<io::SampleStream<Scalar>>(std::vector<std::string>{path}, read, options);
  require_dimension(path, stream->dimension(), model.dictionary.dimension());
  return stream;
}

}  // namespace nodl::cli
