// Samples from files. A sample is a row of the file (a column with `transpose`).
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "nodl/batch.h"
#include "nodl/error.h"
#include "nodl/io/bad_rows.h"
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

enum class Format { Auto, Npy, Csv, Tsv, Mtx, Npz, Svmlight, Raw };

/// What an empty field of a .csv, or NA, N/A, NaN, null or ? in it, is taken for.
enum class Missing { Error, Zero };

struct ReadOptions {
  Format format = Format::Auto;  // Auto: by the file's name, .gz or .zst taken off first
  bool transpose = false;
  RowRange rows = {};
  /// Asked before every read of a file and whenever one has to wait for data or was interrupted by
  /// a signal; true ends the input there, as if it had ended.
  std::function<bool()> interrupted = {};
  /// Raw: numbers a row, must be given. Svmlight: the dimension; 0: the largest index, found by
  /// reading the file twice. Other formats tell it themselves.
  Index columns = 0;
  /// What a model's samples have: taken for `columns` where that is 0 and the format does not tell.
  Index model_columns = 0;
  std::string dtype = {};  // Raw: f4, >i2, float64, ...
  Missing missing = Missing::Error;
  /// At the end of the file, wait for more of it. Csv, Tsv, Svmlight and Raw only.
  bool follow = false;
  /// Rows that cannot be used go here and are passed over; without it the first of them throws.
  std::shared_ptr<BadRows> bad_rows = {};
  /// A larger number makes its row bad.
  double largest = std::numeric_limits<double>::max();
  /// The samples are read as float32: also skip() takes a row with numbers beyond it for bad.
  bool float32 = false;
  /// Memory for sorting files that are not in the order of their samples; more than fits goes to
  /// temporary files.
  std::size_t sort_memory = std::size_t{16} << 20;
};

/// `interrupted` said true before there was a first sample.
struct Interrupted : DataError {
  using DataError::DataError;
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
  /// Passes over the next samples, at most `count`, and returns how many there were. Decodes
  /// nothing that it need not, unless bad rows are to be told apart.
  virtual Index skip(Index count) = 0;
};

/// What Format::Auto takes the file for; Auto itself if the name does not tell.
Format format_by_name(const std::string& path);

/// Throws DataError, Interrupted, and InvalidOptions where options do not suit the format.
std::unique_ptr<SampleReader> open_samples(const std::string& path,
                                           const ReadOptions& options = {});

}  // namespace nodl::io
