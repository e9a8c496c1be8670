// A file, a pipe, or a file that grows.
#pragma once

#include <functional>
#include <string>

#include "io/byte_source.h"

namespace nodl::io {

class FileSource : public ByteSource {
 public:
  /// Throws InvalidOptions if what is not a file is to be followed.
  FileSource(FileDescriptor file, const std::string& path, const ReadOptions& options);
  std::size_t read(char* out, std::size_t size) override;

 private:
  void stop_if_interrupted() const;
  bool wait_for_pipe() const;
  void wait_for_growth() const;

  std::string path_;
  std::function<bool()> interrupted_;
  FileDescriptor file_;
  bool regular_ = false;
  bool follow_ = false;
  std::size_t offset_ = 0;
};

}  // namespace nodl::io
