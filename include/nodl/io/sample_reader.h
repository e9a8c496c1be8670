// Samples from files. A sample is a row of the file (a column with `transpose`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "nodl/batch.h"
#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl::io {

/// Which samples of an input are read: start, start + step, ... below stop. Python's slice for
/// step > 0; negative start and stop count from the end.
struct RowRange {
  Index start = 0;
  std::optional<Index> stop = std::nullopt;
  Index step = 1;
};
/// "START:STOP:STEP", each part optional. Throws InvalidOptions.
RowRange parse_row_range(const std::string& text);

enum class Format { Auto, Npy, Csv, Tsv, Mtx, Npz };

struct ReadOptions {
  Format format = Format::Auto;  // Auto: by the file's name, .gz taken off first
  bool transpose = false;
  RowRange rows = {};
  /// Asked whenever a read has to wait for data or was interrupted by a signal; true ends the input
  /// there, as if it had ended.
  std::function<bool()> interrupted = {};
};

/// Where a batch lives when it cannot be a view of the mapped file.
template <class Scalar>
struct SampleBuffer {
  Matrix<Scalar> dense;         // m x n
  SparseMatrix<Scalar> sparse;  // m x n
};

/// One input, read once from the first sample to the last. Throws DataError with file, row and
/// column (both from 1) and what was expected.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  virtual Index dimension() const = 0;
  virtual bool is_sparse() const = 0;
  virtual std::optional<Index> samples() const = 0;  // all in the range, where known beforehand

  /// The next samples, at most `count`; fewer only at the end, none after it. The batch is a view
  /// of the buffer or of the file and lives until the next call.
  virtual Batch<double> read(Index count, SampleBuffer<double>& buffer) = 0;
  virtual Batch<float> read(Index count, SampleBuffer<float>& buffer) = 0;
  /// Passes over the next samples, at most `count`, and returns how many there were.
  virtual Index skip(Index count);
};

std::unique_ptr<SampleReader> open_samples(const std::string& path,
                                           const ReadOptions& options = {});

}  // namespace nodl::io
