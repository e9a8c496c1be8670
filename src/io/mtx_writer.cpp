// MatrixMarket: https://math.nist.gov/MatrixMarket/formats.html
#include <algorithm>

#include "io/number_text.h"
#include "io/row_writers.h"
#include "io/spool.h"

namespace nodl::io {
namespace {

// Numbers of an array that are turned in memory at once.
constexpr Index kTurnedNumbers = Index{1} << 22;

/// A size with blanks for the digits that it may still get.
std::string padded(Index size) {
  std::string text = std::to_string(size);
  text.resize(19, ' ');
  return text;
}

class CoordinateWriter : public TypedWriter<CoordinateWriter> {
 public:
  CoordinateWriter(AtomicFile& file, Index columns)
      : TypedWriter<CoordinateWriter>(columns), file_(file) {
    file_.output().write("%%MatrixMarket matrix coordinate real general\n");
    sizes_at_ = file_.output().size();
    file_.output().write(sizes());
  }

  template <class Scalar>
  void write_dense(const ConstMatrixView<Scalar>& block) {
    write_entries(block);
  }
  template <class Scalar>
  void write_sparse(const SparseColumns<Scalar>& block) {
    write_entries(block);
  }
  void complete() {
    file_.output().overwrite(sizes_at_, sizes());
    file_.commit();
  }

 private:
  template <class Block>
  void write_entries(const Block& block) {
    visit_nonzeros(block, [this](Index row, Index column, auto value) {
      write_number(file_.output(), rows() + row + 1);
      file_.output().write(" ");
      write_number(file_.output(), column + 1);
      file_.output().write(" ");
      write_number(file_.output(), value);
      file_.output().write("\n");
      ++nonzeros_;
    });
  }
  std::string sizes() const {
    return padded(rows()) + " " + std::to_string(columns()) + " " + padded(nonzeros_) + "\n";
  }

  AtomicFile& file_;
  std::size_t sizes_at_ = 0;
  Index nonzeros_ = 0;
};

/// An array file goes column by column, so that rows wait in a spool until all are there.
template <class Number>
class ArrayWriter : public DenseWriter<ArrayWriter<Number>> {
 public:
  ArrayWriter(AtomicFile& file, Index columns)
      : DenseWriter<ArrayWriter<Number>>(columns), file_(file), spool_(file.output().path()) {}

  template <class Scalar>
  void write_row(const Scalar* values) {
    row_.assign(values, values + this->columns());
    spool_.output().write(row_.data(), row_.size() * sizeof(Number));
  }

  void complete() {
    spool_.output().flush();
    BufferedOutput& output = file_.output();
    output.write("%%MatrixMarket matrix array real general\n" + std::to_string(this->rows()) + " " +
                 std::to_string(this->columns()) + "\n");
    const Index rows = this->rows();
    const Index width = std::clamp<Index>(
        kTurnedNumbers / std::max<Index>(1, rows), 1, std::max<Index>(1, this->columns()));
    Matrix<Number> turned;
    for (Index first = 0; first < this->columns(); first += width) {
      turned.resize(std::min(width, this->columns() - first), rows);
      for (Index r = 0; r < rows; ++r) {
        const auto at = static_cast<std::size_t>(r * this->columns() + first) * sizeof(Number);
        spool_.read(
            at, turned.col(r).data(), static_cast<std::size_t>(turned.rows()) * sizeof(Number));
      }
      for (Index c = 0; c < turned.rows(); ++c) {
        for (Index r = 0; r < rows; ++r) {
          write_number(output, turned(c, r));
          output.write("\n");
        }
      }
    }
    file_.commit();
  }

 private:
  AtomicFile& file_;
  Spool spool_;
  std::vector<Number> row_;
};

/// The first block decides on the layout.
class MtxWriter : public RowWriter {
 public:
  MtxWriter(const std::string& path, Index columns) : file_(path), columns_(columns) {}

  void write(const ConstMatrixView<double>& block) override { array<double>().write(block); }
  void write(const ConstMatrixView<float>& block) override { array<float>().write(block); }
  void write(const SparseColumns<double>& block) override { coordinate().write(block); }
  void write(const SparseColumns<float>& block) override { coordinate().write(block); }
  void finish() override { coordinate().finish(); }

 private:
  template <class Scalar>
  RowWriter& array() {
    if (!writer_) writer_ = std::make_unique<ArrayWriter<Scalar>>(file_, columns_);
    return *writer_;
  }
  RowWriter& coordinate() {
    if (!writer_) writer_ = std::make_unique<CoordinateWriter>(file_, columns_);
    return *writer_;
  }

  AtomicFile file_;
  Index columns_;
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace

std::unique_ptr<RowWriter> make_mtx_writer(const std::string& path, Index columns) {
  return std::make_unique<MtxWriter>(path, columns);
}

}  // namespace nodl::io
