// Lines of a text file in constant memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "nodl/types.h"

namespace nodl::io {

class LineReader {
 public:
  explicit LineReader(const std::string& path);

  /// The next line without its end (\n or \r\n); false at the end of the file. The line lives until
  /// the next call.
  bool next(std::string_view& line);
  Index number() const { return number_; }  // of the line given last, from 1
  const std::string& path() const { return path_; }

 private:
  bool fill();

  std::string path_;
  std::unique_ptr<ByteSource> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is not yet given starts here
  std::size_t end_ = 0;
  bool at_end_ = false;
  Index number_ = 0;
};

/// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace nodl::io
