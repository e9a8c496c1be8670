// Readers of sparse formats: what the formats give as entries, samples get in one canonical form.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// Entries may come in any order within a sample, and several times for one place: they are added.
/// Finite values and rows within the dimension only; throws DataError for others.
class SparseSource {
 public:
  virtual ~SparseSource() = default;
  virtual Index dimension() const = 0;
  virtual Index samples() const = 0;
  /// Appends the entries of a sample. Called with rising sample numbers (from 0).
  virtual void entries(Index sample, std::vector<SparseEntry>& out) = 0;
};

/// Entries in any order, all in memory. Never allocates by the number of samples, which is only
/// what a header says.
std::unique_ptr<SparseSource> make_source(std::vector<PlacedEntry> entries,
                                          Index dimension,
                                          Index samples);
std::unique_ptr<SampleReader> make_reader(std::unique_ptr<SparseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options);

}  // namespace nodl::io
