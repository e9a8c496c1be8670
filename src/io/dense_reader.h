// Readers of dense formats that give one sample after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/failure.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// Finite numbers only; throws DataError for others.
class DenseSource {
 public:
  virtual ~DenseSource() = default;
  virtual Index dimension() const = 0;
  virtual std::optional<Index> samples() const = 0;  // of the whole file
  /// The next sample, dimension() numbers; false at the end.
  virtual bool next(double* sample) = 0;
  virtual bool skip() = 0;
  /// Where a number of the sample given last stands in the file.
  virtual Position position(Index coordinate) const = 0;
};

/// A matrix in memory: number f of sample s is values[s * sample_stride + f * coordinate_stride].
struct LoadedMatrix {
  std::vector<double> values;
  Index samples = 0;
  Index dimension = 0;
  Index sample_stride = 0;
  Index coordinate_stride = 0;
  bool transposed = false;  // samples are columns of the file
  Index first_row = 1;      // what messages call the first row of the file
};

std::unique_ptr<DenseSource> make_source(LoadedMatrix matrix);
std::unique_ptr<SampleReader> make_reader(std::unique_ptr<DenseSource> source,
                                          const std::string& path,
                                          const RowRange& rows);

}  // namespace nodl::io
