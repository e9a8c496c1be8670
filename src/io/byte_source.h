// Bytes of an input, one after the other; compressed text is decompressed on the way.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/file_descriptor.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// Throws DataError.
FileDescriptor open_input(const std::string& path);
/// A file that can be mapped, and opened again to be read from its beginning; pipes cannot.
bool is_regular_file(const std::string& path);

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// At most `size` bytes, at least one; 0 at the end. Throws DataError, and Interrupted if it had
  /// to wait and was told to end.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

/// Reads until there are `size` bytes; returns how many there were before the end.
std::size_t read_fully(ByteSource& source, char* out, std::size_t size);

/// Whether the name ends so, in letters of either case.
bool has_ending(std::string_view name, std::string_view lower_case_ending);
/// .gz or .zst, or empty.
std::string_view compression_ending(std::string_view path);

/// The file as it is; follows it if the options say so.
std::unique_ptr<ByteSource> open_file(const std::string& path, const ReadOptions& options);

struct TextSource {
  std::unique_ptr<ByteSource> bytes;
  bool compressed = false;
};
/// Decompressed, if the name or the first bytes say that it is gzip or zstd.
TextSource open_text(const std::string& path, const ReadOptions& options);

/// What a source of compressed bytes holds; `path` stands in messages.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed,
                                             const std::string& path);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed,
                                             const std::string& path);

}  // namespace nodl::io
