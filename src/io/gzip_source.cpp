#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "io/byte_source.h"
#include "io/failure.h"

namespace nodl::io {
namespace {

/// gzip, any number of members one after the other (as `cat a.gz b.gz` and pigz make them).
class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, const std::string& path)
      : packed_(std::move(packed)), path_(path), input_(1 << 17) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* out, std::size_t size) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) fill();
      if (between_members_ && !begin_member()) return 0;
      if (stream_.avail_in == 0) refuse(path_, "the gzip data is truncated");
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        refuse(path_,
               std::string("is not valid gzip data: ") +
                   (stream_.msg != nullptr ? stream_.msg : "unknown error"));
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  void fill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
  }

  /// Zeros after the last member are padding (tapes, block devices); anything else is damage.
  bool begin_member() {
    if (members_ == 0) {
      if (stream_.avail_in == 0) refuse(path_, "the gzip data is truncated");
    } else {
      for (;;) {
        while (stream_.avail_in > 0 && *stream_.next_in == 0) {
          ++stream_.next_in;
          --stream_.avail_in;
        }
        if (stream_.avail_in > 0) break;
        fill();
        if (stream_.avail_in == 0) return false;
      }
      if (*stream_.next_in != 0x1f) refuse(path_, "has other bytes after its gzip data");
      inflateReset(&stream_);
    }
    ++members_;
    between_members_ = false;
    return true;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = true;
  Index members_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed,
                                             const std::string& path) {
  return std::make_unique<GzipSource>(std::move(packed), path);
}

}  // namespace nodl::io
