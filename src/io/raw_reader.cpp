// Rows of binary numbers, one after the other, and nothing else.
#include <algorithm>
#include <cstring>
#include <vector>

#include "io/array_reader.h"
#include "io/byte_source.h"
#include "io/dense_reader.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

DType checked_dtype(const ReadOptions& options) {
  if (options.dtype.empty()) throw InvalidOptions("raw input needs --dtype (f4, f8, u1, >i2, ...)");
  const std::optional<DType> dtype = numeric_dtype(options.dtype);
  if (!dtype) {
    throw InvalidOptions(
        "dtype must be b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4 or f8, < or > before it for the "
        "byte order, not " +
        options.dtype);
  }
  return *dtype;
}

[[noreturn]] void refuse_part(const std::string& path, std::size_t row, std::size_t found) {
  refuse(path,
         "is truncated: expected rows of " + std::to_string(row) + " bytes, found " +
             std::to_string(found) + " bytes after the last");
}

/// From a pipe or a file that grows.
class RawSource : public DenseSource {
 public:
  RawSource(const std::string& path, NpyArray row, const ReadOptions& options)
      : path_(path),
        bytes_(open_file(path, options)),
        row_(std::move(row)),
        row_bytes_(static_cast<std::size_t>(row_.shape[0]) * row_.dtype.size) {
    constexpr std::size_t kBuffer = std::size_t{1} << 18;
    buffer_.resize(std::max<std::size_t>(1, kBuffer / row_bytes_) * row_bytes_);
  }

  Index dimension() const override { return row_.shape[0]; }
  std::optional<Index> samples() const override { return std::nullopt; }
  bool next(double* sample) override {
    if (!fill()) return false;
    row_.data = {buffer_.data() + begin_, row_bytes_};
    decode_any(row_, 0, dimension(), sample);
    begin_ += row_bytes_;
    ++given_;
    return true;
  }
  Index skip(Index count) override {
    Index skipped = 0;
    for (; skipped < count && fill(); ++skipped) begin_ += row_bytes_;
    given_ += skipped;
    return skipped;
  }
  Position position(Index coordinate) const override { return {given_, coordinate + 1}; }

 private:
  /// A whole row is at hand; false at the end.
  bool fill() {
    while (end_ - begin_ < row_bytes_) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      const std::size_t got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
      if (got == 0 && end_ > 0) refuse_part(path_, row_bytes_, end_);
      if (got == 0) return false;
      end_ += got;
    }
    return true;
  }

  std::string path_;
  std::unique_ptr<ByteSource> bytes_;
  NpyArray row_;
  std::size_t row_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is not yet given
  std::size_t end_ = 0;
  Index given_ = 0;
};

}  // namespace

std::unique_ptr<SampleReader> open_raw(const std::string& path, const ReadOptions& options) {
  const Index columns = options.columns > 0 ? options.columns : options.model_columns;
  if (columns < 1) throw InvalidOptions("raw input needs --columns (numbers a row)");
  NpyArray array;
  array.dtype = checked_dtype(options);
  array.shape = {columns};
  check_shape(path, 1, columns, false);
  const bool streamed = options.follow || (!is_regular_file(path) && !options.transpose);
  if (streamed) {
    if (options.transpose) throw InvalidOptions("--follow: samples that are columns cannot grow");
    auto source = std::make_unique<RawSource>(path, std::move(array), options);
    return make_reader(std::move(source), path, options);
  }
  MappedFile file(path, options);
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * array.dtype.size;
  const std::size_t rows = file.bytes().size() / row_bytes;
  const std::size_t rest = file.bytes().size() % row_bytes;
  if (rest > 0) refuse_part(path, row_bytes, rest);
  array.shape = {static_cast<Index>(rows), columns};
  array.data = file.bytes();
  return make_array_reader(std::move(file), std::move(array), path, options);
}

}  // namespace nodl::io
