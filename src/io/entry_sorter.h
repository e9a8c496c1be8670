// Entries of a sparse matrix, brought into the order of their samples in limited memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "io/scratch_file.h"
#include "io/sparse_reader.h"

namespace nodl::io {

/// An external merge sort. Entries of one sample keep the order in which they were pushed, so that
/// those of one place are added in the order of the file.
class EntrySorter {
 public:
  /// `memory` bytes for entries, and half as much again while they are sorted. Entries beyond that
  /// go to temporary files, 64 of which are merged into one at a time.
  explicit EntrySorter(std::size_t memory);
  ~EntrySorter();
  EntrySorter(const EntrySorter&) = delete;
  EntrySorter& operator=(const EntrySorter&) = delete;

  void push(Index sample, RowIndex row, double value);
  /// After the last push(), before the first next().
  void sort();
  /// The next entry; nullptr after the last. It lives until the next call of pop().
  const PlacedEntry* front() const;
  void pop();

 private:
  struct Run {
    ScratchFile file;
    int level = 0;  // merges that made it
  };
  class Merger;

  void spill();
  void sort_buffer();
  void merge_last_runs();

  std::size_t capacity_;  // entries in memory
  std::vector<PlacedEntry> buffer_;
  std::size_t given_ = 0;
  std::vector<Run> runs_;
  std::unique_ptr<Merger> merger_;
};

/// All samples of a matrix whose entries were pushed in any order. Never allocates by the number of
/// samples, which is only what a header says.
std::unique_ptr<SparseSource> make_sorted_source(std::unique_ptr<EntrySorter> sorter,
                                                 Index dimension,
                                                 Index samples,
                                                 bool transpose);

}  // namespace nodl::io
