#include "io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "io/byte_source.h"
#include "io/failure.h"
#include "io/file_source.h"

namespace nodl::io {
namespace {

// Mapped bytes that may stay in memory after they were read.
constexpr std::size_t kReleaseStep = std::size_t{1} << 20;

ScratchFile copy_of(ByteSource& source) {
  ScratchFile copy;
  std::vector<char> piece(std::size_t{1} << 18);
  while (const std::size_t got = source.read(piece.data(), piece.size())) {
    copy.append(piece.data(), got);
  }
  return copy;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, const ReadOptions& options)
    : path_(path), file_(open_input(path)) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) refuse_input(path, "read", errno);
  if (S_ISDIR(status.st_mode)) refuse_input(path, "read", EISDIR);
  if (S_ISREG(status.st_mode)) {
    map(static_cast<std::size_t>(status.st_size));
  } else {
    FileSource pipe(std::move(file_), path, options);  // opened again it might wait for a writer
    ScratchFile copy = copy_of(pipe);
    const std::size_t size = copy.size();
    file_ = std::move(copy).release();
    map(size);
  }
}

MappedFile::MappedFile(ScratchFile file) : path_("temporary file") {
  const std::size_t size = file.size();
  file_ = std::move(file).release();
  map(size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::map(std::size_t size) {
  if (size == 0) refuse(path_, "is empty");
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (data == MAP_FAILED) refuse_input(path_, "read", errno);
  data_ = static_cast<const char*>(data);
  size_ = size;
}

void MappedFile::read(std::size_t offset, char* out, std::size_t size) const {
  while (size > 0) {
    const ssize_t got = ::pread(file_.get(), out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_input(path_, "read", errno);
    if (got == 0) refuse(path_, "was cut short while it was read");
    out += got;
    offset += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

void MappedFile::release(std::size_t first, std::size_t last) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  first = (first + page - 1) / page * page;
  last = std::min(last, size_) / page * page;
  if (first < last) ::madvise(const_cast<char*>(data_) + first, last - first, MADV_DONTNEED);
}

void PastOfFile::move_to(const MappedFile& file, std::size_t position) {
  if (position < released_ + kReleaseStep) return;
  file.release(released_, position);
  released_ = position;
}

}  // namespace nodl::io
