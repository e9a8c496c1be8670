#include "io/scratch_file.h"

#include <cerrno>
#include <cstdlib>

#include "io/atomic_file.h"
#include "io/failure.h"

namespace nodl::io {
namespace {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

ScratchFile::ScratchFile()
    : name_("temporary file in " + temporary_folder()),
      file_(open_nameless(temporary_folder() + "/nodl")) {}

void ScratchFile::append(const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = ::pwrite(file_.get(), from, size, static_cast<off_t>(size_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_output(name_, errno);
    from += put;
    size -= static_cast<std::size_t>(put);
    size_ += static_cast<std::size_t>(put);
  }
}

void ScratchFile::read(std::size_t offset, void* out, std::size_t size) const {
  char* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(file_.get(), to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_output(name_, got < 0 ? errno : EIO);
    to += got;
    offset += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace nodl::io
