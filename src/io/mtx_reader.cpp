#include <algorithm>
#include <utility>
#include <vector>

#include "io/dense_reader.h"
#include "io/entry_sorter.h"
#include "io/lazy_source.h"
#include "io/mtx_parser.h"
#include "io/number_spool.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

/// Entries whose samples rise, one after the other.
class StreamedEntries : public SparseSource {
 public:
  StreamedEntries(const std::string& path, const ReadOptions& options)
      : parser_(path, options), transpose_(options.transpose) {
    advance();
  }

  Index dimension() const override {
    return transpose_ ? parser_.header().rows : parser_.header().columns;
  }
  std::optional<Index> samples() const override { return total(); }
  bool next(SampleEntries& out) override {
    if (given_ == total()) return false;
    while (has_next_ && next_.sample == given_) {
      out.push(next_.entry.row, next_.entry.value);
      advance();
    }
    ++given_;
    return true;
  }
  Index skip(Index count) override {
    const Index skipped = std::min(count, total() - given_);
    given_ += skipped;
    while (has_next_ && next_.sample < given_) advance();
    return skipped;
  }
  Position position(Index coordinate) const override {
    return transpose_ ? Position{coordinate + 1, given_} : Position{given_, coordinate + 1};
  }

 private:
  Index total() const { return transpose_ ? parser_.header().columns : parser_.header().rows; }

  void advance() {
    const Index previous = next_.sample;
    Index row = 0, column = 0;
    has_next_ = parser_.next_entry(row, column, next_.entry.value);
    if (!has_next_) return;
    if (transpose_) std::swap(row, column);
    next_.sample = row;
    next_.entry.row = static_cast<RowIndex>(column);
    if (next_.sample < previous) {
      refuse_at_line(parser_.path(), parser_.line(), "the file changed while it was read");
    }
  }

  MtxParser parser_;
  bool transpose_;
  PlacedEntry next_;
  bool has_next_ = false;
  Index given_ = 0;
};

bool is_sorted_by_sample(const std::string& path, const ReadOptions& options) {
  MtxParser parser(path, options);
  Index row = 0, column = 0, previous = 0;
  double value = 0;
  while (parser.next_entry(row, column, value)) {
    const Index sample = options.transpose ? column : row;
    if (sample < previous) return false;
    previous = sample;
  }
  return true;
}

/// A symmetric matrix is stored by one of its halves, so that a sample's entries are everywhere in
/// the file; the same holds where entries are not sorted by sample.
void push_entries(MtxParser& parser, bool transpose, EntrySorter& sorter) {
  const MtxHeader& header = parser.header();
  const double mirrored = header.symmetry == MtxSymmetry::Skew ? -1 : 1;
  Index row = 0, column = 0;
  double value = 0;
  while (parser.next_entry(row, column, value)) {
    if (transpose) std::swap(row, column);
    sorter.push(row, static_cast<RowIndex>(column), value);
    if (header.symmetry == MtxSymmetry::General) continue;
    if (row != column) {
      sorter.push(column, static_cast<RowIndex>(row), mirrored * value);
    } else if (header.symmetry == MtxSymmetry::Skew) {
      refuse_at_line(parser.path(),
                     parser.line(),
                     "expected no entry on the diagonal of a skew-symmetric matrix");
    }
  }
}

/// An array file lists a matrix column by column: samples that are columns come as a stream.
class StreamedColumns : public DenseSource {
 public:
  explicit StreamedColumns(MtxParser parser) : parser_(std::move(parser)) {}

  Index dimension() const override { return parser_.header().rows; }
  std::optional<Index> samples() const override { return parser_.header().columns; }
  Position position(Index coordinate) const override { return {coordinate + 1, given_}; }
  bool next(double* sample) override {
    for (Index f = 0; f < dimension(); ++f) {
      if (!parser_.next_value(sample[f])) return false;
    }
    ++given_;
    return true;
  }
  Index skip(Index count) override {
    Index skipped = 0;
    for (double value = 0; skipped < count; ++skipped, ++given_) {
      for (Index f = 0; f < dimension(); ++f) {
        if (!parser_.next_value(value)) return skipped;
      }
    }
    return skipped;
  }

 private:
  MtxParser parser_;
  Index given_ = 0;
};

/// Array files of symmetric matrices hold the lower half (without the diagonal if skew), column by
/// column.
void push_half(MtxParser& parser, bool transpose, EntrySorter& sorter) {
  const bool skew = parser.header().symmetry == MtxSymmetry::Skew;
  double value = 0;
  for (Index column = 0; column < parser.header().columns; ++column) {
    for (Index row = column + (skew ? 1 : 0); row < parser.header().rows; ++row) {
      if (!parser.next_value(value)) return;
      const double above = skew ? -value : value;
      sorter.push(row, static_cast<RowIndex>(column), transpose ? above : value);
      if (row == column) continue;
      sorter.push(column, static_cast<RowIndex>(row), transpose ? value : above);
    }
  }
  parser.next_value(value);  // complains about numbers that are left
}

/// Sparse samples that have all their entries, or lack zeros only.
class FilledSource : public DenseSource {
 public:
  explicit FilledSource(std::unique_ptr<SparseSource> source) : source_(std::move(source)) {}

  Index dimension() const override { return source_->dimension(); }
  std::optional<Index> samples() const override { return source_->samples(); }
  Index skip(Index count) override { return source_->skip(count); }
  Position position(Index coordinate) const override { return source_->position(coordinate); }
  bool next(double* sample) override {
    entries_.clear();
    if (!source_->next(entries_)) return false;
    std::fill(sample, sample + dimension(), 0.0);
    for (const SparseEntry& entry : entries_.merged()) sample[entry.row] = entry.value;
    return true;
  }

 private:
  std::unique_ptr<SparseSource> source_;
  SampleEntries entries_;
};

std::unique_ptr<SampleReader> open_array(const std::shared_ptr<MtxParser>& parser,
                                         const std::string& path,
                                         const ReadOptions& options) {
  const MtxHeader& header = parser->header();
  if (header.symmetry != MtxSymmetry::General) {
    const Index size = header.rows;
    const auto sorted = [parser, size, memory = options.sort_memory, turned = options.transpose] {
      auto sorter = std::make_unique<EntrySorter>(memory);
      push_half(*parser, turned, *sorter);
      sorter->sort();
      return make_sorted_source(std::move(sorter), size, size, turned);
    };
    auto source = std::make_unique<LazySource>(size, size, sorted);
    return make_reader(std::make_unique<FilledSource>(std::move(source)), path, options);
  }
  NumberSpool spool;
  double value = 0;
  while (parser->next_value(value)) spool.push({&value, 1});
  return spool.reader(header.rows, header.columns, true, path, options);
}

/// Streamed if that is possible.
std::unique_ptr<SparseSource> open_coordinates(MtxParser& parser, const ReadOptions& options) {
  const MtxHeader& header = parser.header();
  // What fits into memory is sorted there, which spares reading the file twice.
  const auto fits_in_memory = static_cast<Index>(options.sort_memory / sizeof(PlacedEntry));
  if (header.symmetry == MtxSymmetry::General && header.entries > fits_in_memory &&
      is_regular_file(parser.path()) && is_sorted_by_sample(parser.path(), options)) {
    return std::make_unique<StreamedEntries>(parser.path(), options);
  }
  auto sorter = std::make_unique<EntrySorter>(options.sort_memory);
  push_entries(parser, options.transpose, *sorter);
  sorter->sort();
  const Index samples = options.transpose ? header.columns : header.rows;
  const Index dimension = options.transpose ? header.rows : header.columns;
  return make_sorted_source(std::move(sorter), dimension, samples, options.transpose);
}

}  // namespace

std::unique_ptr<SampleReader> open_mtx(const std::string& path, const ReadOptions& options) {
  auto parser = std::make_shared<MtxParser>(path, options);
  const MtxHeader& header = parser->header();
  check_shape(path, header.rows, header.columns, options.transpose);
  if (header.coordinate) {
    const Index samples = options.transpose ? header.columns : header.rows;
    const Index dimension = options.transpose ? header.rows : header.columns;
    const auto open = [parser, options] { return open_coordinates(*parser, options); };
    return make_reader(std::make_unique<LazySource>(dimension, samples, open), path, options);
  }
  if (header.symmetry == MtxSymmetry::General && options.transpose) {
    return make_reader(std::make_unique<StreamedColumns>(std::move(*parser)), path, options);
  }
  return open_array(parser, path, options);
}

}  // namespace nodl::io
