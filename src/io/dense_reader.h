// Readers of dense formats that give one sample after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/failure.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// Throws BadRowError, and DataError where nothing can follow. Values that are not finite are found
/// by the reader.
class DenseSource {
 public:
  virtual ~DenseSource() = default;
  virtual Index dimension() const = 0;
  virtual std::optional<Index> samples() const = 0;  // of the whole file
  /// The next sample, dimension() numbers; false at the end.
  virtual bool next(double* sample) = 0;
  /// Passes over samples, at most `count`; returns how many there were.
  virtual Index skip(Index count) = 0;
  /// Where a number of the sample given last stands in the file.
  virtual Position position(Index coordinate) const = 0;
};

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<DenseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options);

}  // namespace nodl::io
