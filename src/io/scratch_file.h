// A temporary file without a name, in TMPDIR or /tmp; it is gone when it is closed.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "io/file_descriptor.h"

namespace nodl::io {

/// Throws ResourceError.
class ScratchFile {
 public:
  ScratchFile();

  void append(const void* bytes, std::size_t size);
  void read(std::size_t offset, void* out, std::size_t size) const;
  std::size_t size() const { return size_; }
  FileDescriptor release() && { return std::move(file_); }

 private:
  std::string name_;  // for messages
  FileDescriptor file_;
  std::size_t size_ = 0;
};

}  // namespace nodl::io
