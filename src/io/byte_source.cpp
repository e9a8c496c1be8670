#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/failure.h"
#include "io/file_source.h"

namespace nodl::io {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// Gives the first bytes of a source once more.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), front_(kZstdMagic.size(), '\0') {
    front_.resize(read_fully(*source_, front_.data(), front_.size()));
  }

  bool starts_with(std::string_view magic) const { return front_.starts_with(magic); }
  std::size_t read(char* out, std::size_t size) override {
    if (given_ == front_.size()) return source_->read(out, size);
    const std::size_t now = std::min(size, front_.size() - given_);
    std::memcpy(out, front_.data() + given_, now);
    given_ += now;
    return now;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string front_;
  std::size_t given_ = 0;
};

}  // namespace

FileDescriptor open_input(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // A socket cannot be opened by name, but is there.
  if (!file.is_open() && errno == ENXIO && path == "/dev/stdin") {
    file = FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  }
  if (!file.is_open()) refuse_input(path, "opened", errno);
  return file;
}

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::size_t read_fully(ByteSource& source, char* out, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = source.read(out + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

bool has_ending(std::string_view name, std::string_view lower_case_ending) {
  if (name.size() < lower_case_ending.size()) return false;
  name.remove_prefix(name.size() - lower_case_ending.size());
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::equal(name.begin(), name.end(), lower_case_ending.begin(), same);
}

std::string_view compression_ending(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (has_ending(path, ending)) return ending;
  }
  return {};
}

std::unique_ptr<ByteSource> open_file(const std::string& path, const ReadOptions& options) {
  return std::make_unique<FileSource>(open_input(path), path, options);
}

TextSource open_text(const std::string& path, const ReadOptions& options) {
  if (options.follow) return {open_file(path, options), false};
  auto file = std::make_unique<PeekedSource>(open_file(path, options));
  const std::string_view ending = compression_ending(path);
  if (ending == ".gz" || file->starts_with(kGzipMagic)) {
    return {make_gzip_source(std::move(file), path), true};
  }
  if (ending == ".zst" || file->starts_with(kZstdMagic)) {
    return {make_zstd_source(std::move(file), path), true};
  }
  return {std::move(file), false};
}

}  // namespace nodl::io
