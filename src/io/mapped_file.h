// A file in memory without reading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace nodl::io {

/// Throws DataError. A file that another process cuts short while it is mapped ends this one
/// (SIGBUS); nothing in POSIX prevents that.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const char> bytes() const { return {data_, size_}; }
  /// The bytes [first, last) are not needed soon: a long stream must not fill the memory with its
  /// past. They can still be read.
  void release(std::size_t first, std::size_t last) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nodl::io
