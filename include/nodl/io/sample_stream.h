// Several inputs as one stream of preprocessed batches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nodl/io/sample_reader.h"
#include "nodl/options.h"
#include "nodl/stream_place.h"

namespace nodl::io {

/// Centres and scales the samples of a batch as the options say; returns the batch itself where
/// they ask for nothing. Centring makes a sparse batch dense. The batch may live in the buffer.
/// Throws DataError if a number becomes too large.
template <class Scalar>
Batch<Scalar> preprocess(const Batch<Scalar>& batch,
                         const PreprocessOptions& options,
                         SampleBuffer<Scalar>& buffer);

/// ReadOptions::largest for samples that are then preprocessed so: what is not larger can be used.
template <class Scalar>
double largest_usable(const PreprocessOptions& options);

struct StreamOptions {
  Index batch_size = 200;
  Inputs inputs = Inputs::Joined;         // Joined: a batch may span two inputs
  LastBatch last_batch = LastBatch::Use;  // Separate: of each input
  Index passes = 1;
  PreprocessOptions preprocess = {};
  bool endless = false;  // the end is only where it was interrupted: the last batch is never short
};

/// All inputs must have one dimension (DataError otherwise, naming both files). The stream is
/// sparse if all inputs are and nothing is centred; else sparse inputs become dense batch by batch.
/// A pass is as if the inputs were listed once more: Joined, a batch may span two passes. The
/// batches do not depend on how samples are cut into inputs. ReadOptions::follow is for the last
/// input.
template <class Scalar>
class SampleStream {
 public:
  SampleStream(std::vector<std::string> paths,
               const ReadOptions& read,
               const StreamOptions& options);
  ~SampleStream();
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;

  Index dimension() const;
  bool is_sparse() const;
  /// All that the batches will hold, over all inputs and passes, where known beforehand.
  std::optional<Index> samples() const;

  /// The next batch is at hand; false at the end, or where ReadOptions::interrupted ended it.
  bool next();
  /// Passes over samples that earlier batches gave, without decoding them where the format allows;
  /// false if fewer are left. The next batch begins behind them.
  bool skip(Index samples);
  /// The same; appends them to `digest`.
  bool skip(Index samples, SampleDigest& digest);
  const Batch<Scalar>& batch() const;
  /// Of the batch as it came, before it was centred and scaled.
  SampleDigest digest() const;
  /// The batch is the first of its input (Inputs::Separate) or of the whole stream (Joined).
  bool starts_call() const;
  /// Input (and pass) that the last sample of the batch came from.
  const std::string& input() const;
  Index pass() const;  // from 1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nodl::io
