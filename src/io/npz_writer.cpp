// CSR as scipy.sparse.load_npz reads it. Nothing grows with the number of rows: everything waits in
// spools until the counts, which stand before the numbers, are known.
#include <cstring>
#include <limits>

#include "io/npy_header.h"
#include "io/row_writers.h"
#include "io/spool.h"
#include "io/zip_writer.h"

namespace nodl::io {
namespace {

template <class Number>
std::span<const char> bytes_of(const Number* numbers, std::size_t count) {
  return {reinterpret_cast<const char*>(numbers), count * sizeof(Number)};
}

/// The first block decides between float64 and float32.
class NpzWriter : public TypedWriter<NpzWriter> {
 public:
  NpzWriter(const std::string& path, Index columns)
      : TypedWriter<NpzWriter>(columns), file_(path), starts_(path), indices_(path), data_(path) {
    put_start();
  }

  template <class Scalar>
  void write_dense(const ConstMatrixView<Scalar>& block) {
    write_block<Scalar>(block, block.cols());
  }
  template <class Scalar>
  void write_sparse(const SparseColumns<Scalar>& block) {
    write_block<Scalar>(block, block.cols);
  }

  void complete() {
    ZipWriter zip(file_.output());
    add_spool<RowIndex, RowIndex>(zip, "indices.npy", indices_);
    if (nonzeros_ <= std::numeric_limits<std::int32_t>::max()) {
      add_spool<std::int64_t, std::int32_t>(zip, "indptr.npy", starts_);
    } else {
      add_spool<std::int64_t, std::int64_t>(zip, "indptr.npy", starts_);
    }
    const std::string format = make_npy_header("|S3", {}) + "csr";
    zip.add_member("format.npy", format);
    const std::int64_t sizes[2] = {rows(), columns()};
    std::string shape = make_npy_header(npy_descr<std::int64_t>(), {2});
    shape.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
    zip.add_member("shape.npy", shape);
    if (is_float_) {
      add_spool<float, float>(zip, "data.npy", data_);
    } else {
      add_spool<double, double>(zip, "data.npy", data_);
    }
    zip.finish();
    file_.commit();
  }

 private:
  void put_start() {
    const std::int64_t start = nonzeros_;
    starts_.output().write(&start, sizeof start);
  }
  template <class Number>
  void put_value(Number value) {
    data_.output().write(&value, sizeof value);
  }

  template <class Scalar, class Block>
  void write_block(const Block& block, Index rows_of_block) {
    if (!started_) is_float_ = std::is_same_v<Scalar, float>;
    started_ = true;
    Index row = 0;
    visit_nonzeros(block, [&](Index row_of_entry, Index column, Scalar value) {
      for (; row < row_of_entry; ++row) put_start();
      const auto index = static_cast<RowIndex>(column);
      indices_.output().write(&index, sizeof index);
      if (is_float_) {
        put_value(static_cast<float>(value));
      } else {
        put_value(static_cast<double>(value));
      }
      ++nonzeros_;
    });
    for (; row < rows_of_block; ++row) put_start();
  }

  /// A 1-D array whose numbers are spooled as `From` and stored as `To`. Read twice, because the
  /// checksum stands before what it is of.
  template <class From, class To>
  void add_spool(ZipWriter& zip, const std::string& name, Spool& spool) {
    const std::size_t count = spool.size() / sizeof(From);
    const std::string header = make_npy_header(npy_descr<To>(), {static_cast<Index>(count)});
    const auto for_each_piece = [&spool](auto&& visit) {
      spool.for_each_piece([&visit](std::span<const char> piece) {
        if constexpr (std::is_same_v<From, To>) {
          visit(piece);
        } else {
          std::vector<From> from(piece.size() / sizeof(From));
          std::memcpy(from.data(), piece.data(), piece.size());
          const std::vector<To> to(from.begin(), from.end());
          visit(bytes_of(to.data(), to.size()));
        }
      });
    };
    Checksum crc;
    crc.add(header);
    for_each_piece([&crc](std::span<const char> piece) { crc.add(piece); });
    zip.begin_member(name, header.size() + count * sizeof(To), crc.value());
    file_.output().write(header);
    for_each_piece(
        [this](std::span<const char> piece) { file_.output().write(piece.data(), piece.size()); });
  }

  AtomicFile file_;
  Spool starts_;
  Spool indices_;
  Spool data_;
  Index nonzeros_ = 0;
  bool started_ = false;
  bool is_float_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> make_npz_writer(const std::string& path, Index columns) {
  return std::make_unique<NpzWriter>(path, columns);
}

}  // namespace nodl::io
