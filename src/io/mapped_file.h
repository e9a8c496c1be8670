// A file in memory without reading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/scratch_file.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// Throws DataError. Where another process cuts the file short while it is mapped, reading raises
/// SIGBUS; nothing in POSIX prevents that.
class MappedFile {
 public:
  /// What comes from a pipe is put into a temporary file first.
  MappedFile(const std::string& path, const ReadOptions& options);
  /// Not empty.
  explicit MappedFile(ScratchFile file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const char> bytes() const { return {data_, size_}; }
  /// A copy of some of them, which leaves nothing in memory: a page that is touched stays, and may
  /// be one of 2 MiB.
  void read(std::size_t offset, char* out, std::size_t size) const;
  /// The bytes [first, last) are not needed soon: a long stream must not fill the memory with its
  /// past. They can still be read.
  void release(std::size_t first, std::size_t last) const;

 private:
  void map(std::size_t size);

  std::string path_;
  FileDescriptor file_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Forgets what a reader that goes forward through a mapped file has passed, in large steps.
class PastOfFile {
 public:
  void move_to(const MappedFile& file, std::size_t position);

 private:
  std::size_t released_ = 0;
};

}  // namespace nodl::io
