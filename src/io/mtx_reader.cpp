#include <utility>

#include "io/dense_reader.h"
#include "io/mtx_parser.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

/// Entries whose samples rise, in constant memory.
class StreamedEntries : public SparseSource {
 public:
  StreamedEntries(const std::string& path, bool transpose) : parser_(path), transpose_(transpose) {
    advance();
  }

  Index dimension() const override {
    return transpose_ ? parser_.header().rows : parser_.header().columns;
  }
  Index samples() const override {
    return transpose_ ? parser_.header().columns : parser_.header().rows;
  }
  void entries(Index sample, std::vector<SparseEntry>& out) override {
    while (has_next_ && next_.sample < sample) advance();
    while (has_next_ && next_.sample == sample) {
      out.push_back(next_.entry);
      advance();
    }
  }

 private:
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
};

bool is_sorted_by_sample(const std::string& path, bool transpose) {
  MtxParser parser(path);
  Index row = 0, column = 0, previous = 0;
  double value = 0;
  while (parser.next_entry(row, column, value)) {
    const Index sample = transpose ? column : row;
    if (sample < previous) return false;
    previous = sample;
  }
  return true;
}

/// A symmetric matrix is stored by one of its halves, so that a sample's entries are everywhere in
/// the file; the same holds where entries are not sorted by sample. Such files are held in memory.
std::unique_ptr<SparseSource> load_entries(MtxParser& parser, bool transpose) {
  const MtxHeader& header = parser.header();
  const double mirrored = header.symmetry == MtxSymmetry::Skew ? -1 : 1;
  std::vector<PlacedEntry> entries;
  Index row = 0, column = 0;
  double value = 0;
  while (parser.next_entry(row, column, value)) {
    if (transpose) std::swap(row, column);
    entries.push_back({row, {static_cast<RowIndex>(column), value}});
    if (header.symmetry == MtxSymmetry::General) continue;
    if (row != column) {
      entries.push_back({column, {static_cast<RowIndex>(row), mirrored * value}});
    } else if (header.symmetry == MtxSymmetry::Skew) {
      refuse_at_line(parser.path(),
                     parser.line(),
                     "expected no entry on the diagonal of a skew-symmetric matrix");
    }
  }
  return transpose ? make_source(std::move(entries), header.rows, header.columns)
                   : make_source(std::move(entries), header.columns, header.rows);
}

/// An array file lists a matrix column by column: samples that are columns come as a stream.
class StreamedColumns : public DenseSource {
 public:
  explicit StreamedColumns(const std::string& path) : parser_(path) {}

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
  bool skip() override {
    double value = 0;
    for (Index f = 0; f < dimension(); ++f) {
      if (!parser_.next_value(value)) return false;
    }
    ++given_;
    return true;
  }

 private:
  MtxParser parser_;
  Index given_ = 0;
};

/// The lower half (without the diagonal if skew), column by column, as the whole.
std::vector<double> mirrored(const std::vector<double>& half, const MtxHeader& header) {
  const bool skew = header.symmetry == MtxSymmetry::Skew;
  const auto n = static_cast<std::size_t>(header.rows);
  std::vector<double> whole(n * n);
  std::size_t from = 0;
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column + (skew ? 1 : 0); row < n; ++row, ++from) {
      whole[column * n + row] = half[from];
      whole[row * n + column] = skew ? -half[from] : half[from];
    }
  }
  return whole;
}

LoadedMatrix load_array(MtxParser& parser, bool transpose) {
  const MtxHeader& header = parser.header();
  LoadedMatrix matrix;
  double value = 0;
  while (parser.next_value(value)) matrix.values.push_back(value);
  if (header.symmetry != MtxSymmetry::General) matrix.values = mirrored(matrix.values, header);
  matrix.samples = transpose ? header.columns : header.rows;
  matrix.dimension = transpose ? header.rows : header.columns;
  matrix.sample_stride = transpose ? header.rows : 1;
  matrix.coordinate_stride = transpose ? 1 : header.rows;
  matrix.transposed = transpose;
  return matrix;
}

}  // namespace

std::unique_ptr<SampleReader> open_mtx(const std::string& path,
                                       const ReadOptions& options,
                                       Index load_limit) {
  MtxParser parser(path);
  const MtxHeader& header = parser.header();
  check_shape(path, header.rows, header.columns, options.transpose);
  const bool general = header.symmetry == MtxSymmetry::General;
  if (!header.coordinate) {
    if (general && options.transpose) {
      return make_reader(std::make_unique<StreamedColumns>(path), path, options.rows);
    }
    return make_reader(make_source(load_array(parser, options.transpose)), path, options.rows);
  }
  if (general && header.entries > load_limit && is_sorted_by_sample(path, options.transpose)) {
    return make_reader(std::make_unique<StreamedEntries>(path, options.transpose), path, options);
  }
  return make_reader(load_entries(parser, options.transpose), path, options);
}

}  // namespace nodl::io
