#include "io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "io/byte_source.h"
#include "io/failure.h"

namespace nodl::io {

MappedFile::MappedFile(const std::string& path) {
  const FileDescriptor file = open_input(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse_input(path, "read", errno);
  if (S_ISDIR(status.st_mode)) refuse_input(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode)) refuse(path, "expected a regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) refuse(path, "is empty");
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) refuse_input(path, "read", errno);
  data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() { ::munmap(const_cast<char*>(data_), size_); }

void MappedFile::release(std::size_t first, std::size_t last) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  first = (first + page - 1) / page * page;
  last = std::min(last, size_) / page * page;
  if (first < last) ::madvise(const_cast<char*>(data_) + first, last - first, MADV_DONTNEED);
}

}  // namespace nodl::io
