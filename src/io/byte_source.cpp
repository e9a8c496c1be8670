#include "io/byte_source.h"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "io/failure.h"

namespace nodl::io {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path), file_(open_input(path)) {}

  std::size_t read(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), out, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) refuse_input(path_, "read", errno);
    }
  }

 private:
  std::string path_;
  FileDescriptor file_;
};

/// gzip, any number of members one after the other (as `cat a.gz b.gz` and pigz make them).
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(const std::string& path) : path_(path), file_(path), input_(1 << 17) {
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
    stream_.avail_in = static_cast<uInt>(file_.read(input_.data(), input_.size()));
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

  std::string path_;
  FileSource file_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = true;
  Index members_ = 0;
};

}  // namespace

FileDescriptor open_input(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) refuse_input(path, "opened", errno);
  return file;
}

bool has_gzip_name(const std::string& path) { return path.ends_with(".gz"); }

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (has_gzip_name(path)) return std::make_unique<GzipSource>(path);
  return std::make_unique<FileSource>(path);
}

}  // namespace nodl::io
