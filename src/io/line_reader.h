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
  LineReader(const std::string& path, const ReadOptions& options);

  /// The next line without its end (\n or \r\n); false at the end of the file. The line lives until
  /// the next call.
  bool next(std::string_view& line);
  /// Makes the line given last longer by the line after it; false, and nothing changed, at the end
  /// of the file or if it would become longer than 1 MiB or 65 lines: a line that waits for others
  /// must not hold up a live stream.
  bool extend(std::string_view& line);
  /// Takes back every extend() of the line given last.
  void shrink(std::string_view& line);
  Index number() const { return number_; }  // of the line given last, from 1
  const std::string& path() const { return path_; }
  bool is_compressed() const { return text_.compressed; }

 private:
  bool fill();
  bool find_end(std::size_t from, std::size_t& length);
  std::string_view line_of(std::size_t length) const;

  std::string path_;
  TextSource text_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;   // the line given last starts here
  std::size_t next_ = 0;    // what is not yet given starts here
  std::size_t end_ = 0;     // of what was read
  std::size_t length_ = 0;  // of the line given last, before it was extended
  std::size_t step_ = 0;    // the same with its end
  bool at_end_ = false;
  Index number_ = 0;
  Index extensions_ = 0;
};

/// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);
/// Cuts the next field, delimited by blanks, from the front of the line; empty at its end.
std::string_view take_field(std::string_view& line);

}  // namespace nodl::io
