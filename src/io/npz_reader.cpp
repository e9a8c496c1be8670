// .npz as scipy.sparse.save_npz writes it: CSR, CSC and COO. The arrays are read side by side, each
// from its beginning to its end, so that compressed files take no more memory than others.
#include <algorithm>
#include <array>

#include "io/entry_sorter.h"
#include "io/failure.h"
#include "io/lazy_source.h"
#include "io/npy_stream.h"
#include "io/readers.h"
#include "io/sparse_reader.h"
#include "io/zip_reader.h"

namespace nodl::io {
namespace {

constexpr Index kBlock = 1024;  // entries decoded at a time

NpyStream open_vector(const ZipReader& zip, const std::string& name, bool integers) {
  NpyStream stream(zip.open(name), zip.size(name), zip.path() + ": " + name);
  if (integers ? !stream.dtype().is_integer() : !stream.dtype().is_numeric()) {
    refuse(stream.name(), integers ? "expected integers" : "expected numbers");
  }
  return stream;
}

/// "csr" from bytes or UCS-4 text, in an array without dimensions.
std::string load_format(const ZipReader& zip) {
  const std::string member = "format.npy";
  if (!zip.has(member)) {
    refuse(zip.path(), "expected a sparse matrix of scipy.sparse.save_npz, found no format.npy");
  }
  constexpr std::size_t kLongest = 4096;
  std::vector<char> bytes(kLongest);
  bytes.resize(read_fully(*zip.open(member), bytes.data(), bytes.size()));
  const NpyArray array = parse_npy(bytes, zip.path() + ": " + member);
  std::string text;
  if (array.dtype.kind == 'S' || array.dtype.kind == 'U') {
    std::copy_if(array.data.begin(), array.data.end(), std::back_inserter(text), [](char c) {
      return c != '\0';
    });
  }
  return text;
}

struct Shape {
  Index rows = 0;
  Index columns = 0;
};

Shape load_shape(const ZipReader& zip) {
  NpyStream stream = open_vector(zip, "shape.npy", true);
  if (stream.elements() != 2) {
    refuse(stream.name(), "expected 2 numbers, found " + std::to_string(stream.elements()));
  }
  Index sizes[2];
  stream.read_integers(2, sizes);
  stream.finish();
  if (sizes[0] < 0 || sizes[1] < 0) refuse(stream.name(), "expected sizes that are not negative");
  return {sizes[0], sizes[1]};
}

/// Compressed rows or columns, checked as they are read.
class Compressed {
 public:
  Compressed(const ZipReader& zip, Index majors, Index minors)
      : data_(open_vector(zip, "data.npy", false)),
        indices_(open_vector(zip, "indices.npy", true)),
        starts_(open_vector(zip, "indptr.npy", true)),
        majors_(majors),
        minors_(minors) {
    if (data_.elements() != indices_.elements()) {
      refuse(zip.path(),
             "expected as many indices as data, found " + std::to_string(indices_.elements()) +
                 " and " + std::to_string(data_.elements()));
    }
    if (starts_.elements() - 1 != majors_) {
      refuse(starts_.name(),
             "expected " + std::to_string(majors_) + " + 1 elements, found " +
                 std::to_string(starts_.elements()));
    }
    next_start();
  }

  Index majors() const { return majors_; }
  Index minors() const { return minors_; }
  Index given() const { return given_; }
  Index entries_given() const { return start_; }
  const std::string& indices_name() const { return indices_.name(); }

  /// Calls visit(minor, value) for the entries of the next row (or column); the minor may be any
  /// number. False after the last.
  template <class Visitor>
  bool next(Visitor&& visit) {
    if (given_ == majors_) return false;
    std::array<Index, kBlock> minors{};
    std::array<double, kBlock> values{};
    for (Index left = next_start(); left > 0;) {
      const Index now = std::min(left, kBlock);
      indices_.read_integers(now, minors.data());
      data_.read_numbers(now, values.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(now); ++i) visit(minors[i], values[i]);
      left -= now;
    }
    end_major();
    return true;
  }

  Index skip(Index count) {
    Index skipped = 0;
    for (; skipped < count && given_ < majors_; ++skipped) {
      const Index entries = next_start();
      indices_.skip(entries);
      data_.skip(entries);
      end_major();
    }
    return skipped;
  }

 private:
  /// Reads the next element of indptr; returns by how much it is larger than the one before.
  Index next_start() {
    if (next_ == read_) {
      read_ = std::min(kBlock, starts_.elements() - taken_);
      starts_.read_integers(read_, block_.data());
      next_ = 0;
    }
    const Index start = block_[static_cast<std::size_t>(next_++)];
    if (start < start_ || start > indices_.elements() || (taken_ == 0 && start != 0)) {
      refuse(starts_.name(),
             "element " + std::to_string(taken_ + 1) + ": expected " +
                 (taken_ == 0 ? "0"
                              : "a number from " + std::to_string(start_) + " to " +
                                    std::to_string(indices_.elements())) +
                 ", found " + std::to_string(start));
    }
    ++taken_;
    return start - std::exchange(start_, start);
  }

  /// With the last one all arrays are compared with their checksums.
  void end_major() {
    if (++given_ < majors_) return;
    indices_.skip(indices_.elements() - start_);
    data_.skip(data_.elements() - start_);
    for (NpyStream* array : {&indices_, &data_, &starts_}) array->finish();
  }

  NpyStream data_;
  NpyStream indices_;
  NpyStream starts_;
  Index majors_;
  Index minors_;
  Index given_ = 0;
  Index start_ = 0;  // the element of indptr that was read last
  std::array<Index, kBlock> block_{};
  Index next_ = 0;   // within the block
  Index read_ = 0;   // elements of the block
  Index taken_ = 0;  // elements of indptr
};

std::string index_trouble(Index minors, Index element, Index found) {
  return "element " + std::to_string(element) + ": expected an index from 0 to " +
         std::to_string(minors - 1) + ", found " + std::to_string(found);
}

/// Samples are what is compressed.
class CompressedSource : public SparseSource {
 public:
  CompressedSource(std::shared_ptr<ZipReader> zip, Compressed matrix, bool transpose)
      : zip_(std::move(zip)), matrix_(std::move(matrix)), transpose_(transpose) {}

  Index dimension() const override { return matrix_.minors(); }
  std::optional<Index> samples() const override { return matrix_.majors(); }
  bool next(SampleEntries& out) override {
    Index element = matrix_.entries_given();
    std::string trouble;
    const bool there = matrix_.next([&](Index minor, double value) {
      ++element;
      if (minor >= 0 && minor < dimension()) {
        out.push(static_cast<RowIndex>(minor), value);
      } else if (trouble.empty()) {
        trouble = "indices.npy: " + index_trouble(dimension(), element, minor);
      }
    });
    if (!trouble.empty()) {
      const Index sample = matrix_.given();
      refuse_row(zip_->path(),
                 sample - 1,
                 transpose_ ? Position{0, sample} : Position{sample, 0},
                 BadRowReason::BadIndex,
                 trouble);
    }
    return there;
  }
  Index skip(Index count) override { return matrix_.skip(count); }
  Position position(Index coordinate) const override {
    const Index sample = matrix_.given();
    return transpose_ ? Position{coordinate + 1, sample} : Position{sample, coordinate + 1};
  }

 private:
  std::shared_ptr<ZipReader> zip_;  // the arrays are views of it
  Compressed matrix_;
  bool transpose_;
};

/// Samples lie across what is compressed.
void push_across(Compressed& matrix, EntrySorter& sorter) {
  for (bool more = true; more;) {
    const auto major = static_cast<RowIndex>(matrix.given());
    Index element = matrix.entries_given();
    more = matrix.next([&](Index sample, double value) {
      ++element;
      if (sample < 0 || sample >= matrix.minors()) {
        refuse(matrix.indices_name(), index_trouble(matrix.minors(), element, sample));
      }
      sorter.push(sample, major, value);
    });
  }
}

void push_coordinates(const ZipReader& zip, Shape shape, bool transpose, EntrySorter& sorter) {
  NpyStream rows = open_vector(zip, "row.npy", true);
  NpyStream columns = open_vector(zip, "col.npy", true);
  NpyStream data = open_vector(zip, "data.npy", false);
  const Index count = data.elements();
  if (rows.elements() != count || columns.elements() != count) {
    refuse(zip.path(), "expected as many rows and columns as data");
  }
  std::array<Index, kBlock> row{}, column{};
  std::array<double, kBlock> value{};
  for (Index done = 0; done < count;) {
    const Index now = std::min(kBlock, count - done);
    rows.read_integers(now, row.data());
    columns.read_integers(now, column.data());
    data.read_numbers(now, value.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(now); ++i, ++done) {
      if (row[i] < 0 || row[i] >= shape.rows || column[i] < 0 || column[i] >= shape.columns) {
        refuse(zip.path(),
               "entry " + std::to_string(done + 1) + ": expected a place within shape (" +
                   std::to_string(shape.rows) + ", " + std::to_string(shape.columns) +
                   "), found (" + std::to_string(row[i]) + ", " + std::to_string(column[i]) + ")");
      }
      if (transpose) std::swap(row[i], column[i]);
      sorter.push(row[i], static_cast<RowIndex>(column[i]), value[i]);
    }
  }
  for (NpyStream* array : {&rows, &columns, &data}) array->finish();
}

}  // namespace

std::unique_ptr<SampleReader> open_npz(const std::string& path, const ReadOptions& options) {
  auto zip = std::make_shared<ZipReader>(path, options);
  const std::string format = load_format(*zip);
  const Shape shape = load_shape(*zip);
  const bool transpose = options.transpose;
  check_shape(path, shape.rows, shape.columns, transpose);
  const Index samples = transpose ? shape.columns : shape.rows;
  const Index dimension = transpose ? shape.rows : shape.columns;

  if (format != "csr" && format != "csc" && format != "coo") {
    refuse(path, "expected a sparse matrix in format csr, csc or coo, found " + shown(format));
  }
  if (format != "coo" && (format == "csr") != transpose) {
    Compressed matrix(*zip, samples, dimension);
    auto source = std::make_unique<CompressedSource>(zip, std::move(matrix), transpose);
    return make_reader(std::move(source), path, options);
  }
  const auto sorted = [=, memory = options.sort_memory] {
    auto sorter = std::make_unique<EntrySorter>(memory);
    if (format == "coo") {
      push_coordinates(*zip, shape, transpose, *sorter);
    } else {
      Compressed matrix(*zip, dimension, samples);
      push_across(matrix, *sorter);
    }
    sorter->sort();
    return make_sorted_source(std::move(sorter), dimension, samples, transpose);
  };
  return make_reader(std::make_unique<LazySource>(dimension, samples, sorted), path, options);
}

}  // namespace nodl::io
