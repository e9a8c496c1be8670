// A temporary file without a name, for what must be known before it can be written.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "io/atomic_file.h"

namespace nodl::io {

/// On the disk of `path`, so that memory does not grow with the output.
class Spool {
 public:
  explicit Spool(const std::string& path) : output_(open_nameless(path), path) {}

  BufferedOutput& output() { return output_; }
  std::size_t size() const { return output_.size(); }
  /// Reads `size` bytes at `offset`. Throws ResourceError.
  void read(std::size_t offset, void* out, std::size_t size);
  /// Everything, in pieces whose size is a multiple of 8.
  void for_each_piece(const std::function<void(std::span<const char>)>& visit);

 private:
  BufferedOutput output_;
};

}  // namespace nodl::io
