// Bytes of an input, one after the other; compressed files are decompressed on the way.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/file_descriptor.h"

namespace nodl::io {

/// Throws DataError.
FileDescriptor open_input(const std::string& path);

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// At most `size` bytes, at least one; 0 at the end. Throws DataError.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

bool has_gzip_name(const std::string& path);
/// Decompresses if the name ends in .gz.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace nodl::io
