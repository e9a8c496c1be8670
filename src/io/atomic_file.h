// A file that appears whole under its name or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/file_descriptor.h"

namespace nodl::io {

/// A file without a name in the folder of `path`; it is gone when it is closed. Throws
/// ResourceError.
FileDescriptor open_nameless(const std::string& path);

/// Bytes into a file, through a buffer. Throws ResourceError that names `path`.
class BufferedOutput {
 public:
  BufferedOutput(FileDescriptor file, const std::string& path);

  void write(const void* bytes, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void flush();
  /// Replaces bytes that were written before.
  void overwrite(std::size_t offset, std::string_view text);
  std::size_t size() const { return written_ + buffer_.size(); }
  int descriptor() const { return file_.get(); }
  const std::string& path() const { return path_; }
  void close();

 private:
  void write_through(const char* bytes, std::size_t size);

  FileDescriptor file_;
  std::string path_;
  std::vector<char> buffer_;
  std::size_t written_ = 0;
};

/// Written to a temporary file in the same folder, which commit() gives its name and the destructor
/// removes otherwise.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  BufferedOutput& output() { return output_; }
  /// On the disk, under its name, when this returns.
  void commit();

 private:
  FileDescriptor begin(const std::string& path);

  std::string target_;     // with symbolic links followed, so that they stay
  std::string temporary_;  // empty once it has the name
  BufferedOutput output_;
};

}  // namespace nodl::io
