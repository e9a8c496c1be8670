#include "io/npy_stream.h"

#include <algorithm>

#include "io/failure.h"

namespace nodl::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 15;
constexpr std::size_t kLongestHead = std::size_t{1} << 16;  // NumPy itself reads 10000 bytes

}  // namespace

NpyStream::NpyStream(std::unique_ptr<ByteSource> bytes, std::uint64_t size, const std::string& name)
    : bytes_(std::move(bytes)), name_(name), block_(kBlockBytes) {
  std::vector<char> head(12);
  head.resize(read_fully(*bytes_, head.data(), head.size()));
  const std::size_t begun = head.size();
  const std::size_t offset = npy_data_offset(head, size, name);
  if (offset > kLongestHead) refuse(name, "the NumPy header is longer than 64 KiB");
  if (offset < begun) refuse(name, "the NumPy header is truncated");
  head.resize(offset);
  read_fully(*bytes_, head.data() + begun, offset - begun);
  array_ = parse_npy_head(head, size, name);
  if (array_.shape.size() != 1) {
    refuse(name, "expected a 1-D array, found shape " + shape_text(array_.shape));
  }
}

Index NpyStream::next_block(Index count) {
  const std::size_t most = kBlockBytes / array_.dtype.size;
  const auto elements = std::min(count, static_cast<Index>(most));
  const std::size_t size = static_cast<std::size_t>(elements) * array_.dtype.size;
  if (read_fully(*bytes_, block_.data(), size) < size) refuse(name_, "is truncated");
  array_.data = {block_.data(), size};
  return elements;
}

void NpyStream::read_integers(Index count, Index* out) {
  for (Index done = 0; done < count;) {
    const Index now = next_block(count - done);
    decode_integers(array_, 0, now, out + done);
    done += now;
  }
}

void NpyStream::read_numbers(Index count, double* out) {
  for (Index done = 0; done < count;) {
    const Index now = next_block(count - done);
    decode_any(array_, 0, now, out + done);
    done += now;
  }
}

void NpyStream::skip(Index count) {
  for (Index done = 0; done < count;) done += next_block(count - done);
}

void NpyStream::finish() {
  while (bytes_->read(block_.data(), block_.size()) > 0) {
  }
}

}  // namespace nodl::io
