// Readers of sparse formats: what the formats give as entries, samples get in one canonical form.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/failure.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// An entry of a sample.
struct SparseEntry {
  RowIndex row = 0;
  double value = 0;
};
/// The same, of any sample.
struct PlacedEntry {
  Index sample = 0;
  SparseEntry entry;
};

/// Entries of one sample, pushed in any order, and several times for one place: they are added, in
/// that order. Memory grows with the places that are there, not with the entries.
class SampleEntries {
 public:
  void clear() { entries_.clear(); }
  void push(RowIndex row, double value);
  /// By rising rows, one for each place.
  const std::vector<SparseEntry>& merged();

 private:
  std::vector<SparseEntry> entries_;
  std::size_t merge_at_ = std::size_t{1} << 16;
};

/// Rows within the dimension only. Values that are not finite are found by the reader. Throws
/// BadRowError, and DataError where nothing can follow.
class SparseSource {
 public:
  virtual ~SparseSource() = default;
  virtual Index dimension() const = 0;
  virtual std::optional<Index> samples() const = 0;
  /// Adds the entries of the next sample; false at the end.
  virtual bool next(SampleEntries& out) = 0;
  /// Passes over samples, at most `count`; returns how many there were.
  virtual Index skip(Index count) = 0;
  /// Where a number of the sample given last stands in the file.
  virtual Position position(Index coordinate) const = 0;
};

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<SparseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options);

}  // namespace nodl::io
