// .npz as scipy.sparse.save_npz writes it: CSR, CSC and COO.
#include <limits>

#include "io/failure.h"
#include "io/npy_array.h"
#include "io/number.h"
#include "io/readers.h"
#include "io/sparse_reader.h"
#include "io/zip_reader.h"

namespace nodl::io {
namespace {

struct NpzArray {
  ZipContent content;
  NpyArray array;
  std::string name;
};

NpzArray load(const ZipReader& zip, const std::string& name) {
  NpzArray out;
  out.name = zip.path() + ": " + name;
  out.content = zip.read(name);
  out.array = parse_npy(out.content.bytes, out.name);
  return out;
}

NpzArray load_vector(const ZipReader& zip, const std::string& name, bool integers) {
  NpzArray out = load(zip, name);
  if (out.array.shape.size() != 1) {
    refuse(out.name, "expected a 1-D array, found shape " + shape_text(out.array.shape));
  }
  if (integers ? !out.array.dtype.is_integer() : !out.array.dtype.is_numeric()) {
    refuse(out.name, integers ? "expected integers" : "expected numbers");
  }
  return out;
}

/// "csr" from bytes or UCS-4 text.
std::string load_format(const ZipReader& zip) {
  if (!zip.has("format.npy")) {
    refuse(zip.path(), "expected a sparse matrix of scipy.sparse.save_npz, found no format.npy");
  }
  const NpzArray format = load(zip, "format.npy");
  std::string text;
  if (format.array.dtype.kind == 'S' || format.array.dtype.kind == 'U') {
    for (const char c : format.array.data) {
      if (c != '\0') text += c;
    }
  }
  return text;
}

struct Shape {
  Index rows = 0;
  Index columns = 0;
};

Shape load_shape(const ZipReader& zip) {
  const NpzArray shape = load_vector(zip, "shape.npy", true);
  if (shape.array.elements() != 2) {
    refuse(shape.name, "expected 2 numbers, found " + std::to_string(shape.array.elements()));
  }
  Index sizes[2];
  decode_integers(shape.array, 0, 2, sizes);
  if (sizes[0] < 0 || sizes[1] < 0) refuse(shape.name, "expected sizes that are not negative");
  return {sizes[0], sizes[1]};
}

/// Compressed rows or columns (`major`), checked as they are read.
class Compressed {
 public:
  Compressed(const ZipReader& zip, Index majors, Index minors, bool majors_are_rows)
      : data_(load_vector(zip, "data.npy", false)),
        indices_(load_vector(zip, "indices.npy", true)),
        starts_(load_vector(zip, "indptr.npy", true)),
        path_(zip.path()),
        majors_(majors),
        minors_(minors),
        majors_are_rows_(majors_are_rows) {
    check_starts();
  }

  Index majors() const { return majors_; }
  Index minors() const { return minors_; }

  /// Calls visit(minor, value) for the entries of one row (or column).
  template <class Visitor>
  void visit(Index major, Visitor&& visit_entry) {
    Index bounds[2];
    decode_integers(starts_.array, major, 2, bounds);
    const Index count = bounds[1] - bounds[0];
    rows_.resize(static_cast<std::size_t>(count));
    values_.resize(static_cast<std::size_t>(count));
    decode_integers(indices_.array, bounds[0], count, rows_.data());
    const Index good = decode(data_.array, bounds[0], Index{1}, count, values_.data());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i] < 0 || rows_[i] >= minors_) {
        refuse(indices_.name,
               "element " + std::to_string(bounds[0] + static_cast<Index>(i) + 1) +
                   ": expected an index from 0 to " + std::to_string(minors_ - 1) + ", found " +
                   std::to_string(rows_[i]));
      }
      if (static_cast<Index>(i) == good) {
        const Index minor = rows_[i] + 1;
        refuse_number<double>(
            path_,
            majors_are_rows_ ? Position{major + 1, minor} : Position{minor, major + 1},
            decode_one(data_.array, bounds[0] + good));
      }
      visit_entry(rows_[i], values_[i]);
    }
  }

 private:
  void check_starts() const {
    const Index nonzeros = indices_.array.elements();
    if (data_.array.elements() != nonzeros) {
      refuse(path_,
             "expected as many indices as data, found " + std::to_string(nonzeros) + " and " +
                 std::to_string(data_.array.elements()));
    }
    if (starts_.array.elements() - 1 != majors_) {
      refuse(starts_.name,
             "expected " + std::to_string(majors_) + " + 1 elements, found " +
                 std::to_string(starts_.array.elements()));
    }
    Index previous = 0;
    for (Index i = 0; i <= majors_; ++i) {
      Index start = 0;
      decode_integers(starts_.array, i, 1, &start);
      if (start < previous || start > nonzeros || (i == 0 && start != 0)) {
        refuse(starts_.name,
               "element " + std::to_string(i + 1) + ": expected " +
                   (i == 0 ? "0"
                           : "a number from " + std::to_string(previous) + " to " +
                                 std::to_string(nonzeros)) +
                   ", found " + std::to_string(start));
      }
      previous = start;
    }
  }

  NpzArray data_;
  NpzArray indices_;
  NpzArray starts_;
  std::string path_;
  Index majors_;
  Index minors_;
  bool majors_are_rows_;
  std::vector<Index> rows_;
  std::vector<double> values_;
};

/// Samples are what is compressed: they are decoded one by one from the arrays of the file.
class CompressedSource : public SparseSource {
 public:
  CompressedSource(std::unique_ptr<ZipReader> zip, Compressed matrix)
      : zip_(std::move(zip)), matrix_(std::move(matrix)) {}

  Index dimension() const override { return matrix_.minors(); }
  Index samples() const override { return matrix_.majors(); }
  void entries(Index sample, std::vector<SparseEntry>& out) override {
    matrix_.visit(sample, [&out](Index row, double value) {
      out.push_back({static_cast<RowIndex>(row), value});
    });
  }

 private:
  std::unique_ptr<ZipReader> zip_;  // the arrays may be views of it
  Compressed matrix_;
};

/// Samples lie across what is compressed: all entries are held in memory and sorted.
std::vector<PlacedEntry> load_across(Compressed& matrix) {
  std::vector<PlacedEntry> placed;
  for (Index major = 0; major < matrix.majors(); ++major) {
    matrix.visit(major, [&placed, major](Index sample, double value) {
      placed.push_back({sample, {static_cast<RowIndex>(major), value}});
    });
  }
  return placed;
}

std::vector<PlacedEntry> load_coordinates(const ZipReader& zip, Shape shape, bool transpose) {
  const NpzArray rows = load_vector(zip, "row.npy", true);
  const NpzArray columns = load_vector(zip, "col.npy", true);
  const NpzArray data = load_vector(zip, "data.npy", false);
  const Index count = data.array.elements();
  if (rows.array.elements() != count || columns.array.elements() != count) {
    refuse(zip.path(), "expected as many rows and columns as data");
  }
  std::vector<PlacedEntry> placed;
  placed.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    Index row = 0, column = 0;
    decode_integers(rows.array, i, 1, &row);
    decode_integers(columns.array, i, 1, &column);
    if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns) {
      refuse(zip.path(),
             "entry " + std::to_string(i + 1) + ": expected a place within shape (" +
                 std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "), found (" +
                 std::to_string(row) + ", " + std::to_string(column) + ")");
    }
    const double value = decode_one(data.array, i);
    if (!fits<double>(value)) refuse_number<double>(zip.path(), {row + 1, column + 1}, value);
    if (transpose) std::swap(row, column);
    placed.push_back({row, {static_cast<RowIndex>(column), value}});
  }
  return placed;
}

}  // namespace

std::unique_ptr<SampleReader> open_npz(const std::string& path, const ReadOptions& options) {
  auto zip = std::make_unique<ZipReader>(path);
  const std::string format = load_format(*zip);
  const Shape shape = load_shape(*zip);
  check_shape(path, shape.rows, shape.columns, options.transpose);
  const Index samples = options.transpose ? shape.columns : shape.rows;
  const Index dimension = options.transpose ? shape.rows : shape.columns;

  std::unique_ptr<SparseSource> source;
  if (format == "csr" || format == "csc") {
    const bool by_rows = format == "csr";
    const bool along = by_rows != options.transpose;
    Compressed matrix(*zip, along ? samples : dimension, along ? dimension : samples, by_rows);
    if (along) {
      source = std::make_unique<CompressedSource>(std::move(zip), std::move(matrix));
    } else {
      source = make_source(load_across(matrix), dimension, samples);
    }
  } else if (format == "coo") {
    source = make_source(load_coordinates(*zip, shape, options.transpose), dimension, samples);
  } else {
    refuse(path, "expected a sparse matrix in format csr, csc or coo, found " + shown(format));
  }
  return make_reader(std::move(source), path, options);
}

}  // namespace nodl::io
