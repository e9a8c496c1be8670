// The fields of one row of a .csv or .tsv file.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "io/line_reader.h"
#include "io/number.h"

namespace nodl::io {

class CsvFields {
 public:
  CsvFields(std::string_view row, char delimiter)
      : next_(row.data()), end_(row.data() + row.size()), delimiter_(delimiter) {}

  bool at_end() const { return next_ == nullptr; }

  /// The next field if it is a plain number; the usual and fast case. Else nothing is consumed.
  bool number(double& value) {
    const char* begin = skip_blanks(next_);
    const char* after = read_number(begin, end_, value);
    if (after == begin) return false;
    after = skip_blanks(after);
    if (after != end_ && *after != delimiter_) return false;
    step_over(after);
    return true;
  }

  /// The next field, trimmed and without quotes; nothing if a quote is not closed or text follows
  /// it.
  std::optional<std::string> text() {
    const char* begin = skip_blanks(next_);
    if (begin != end_ && *begin == '"') return quoted(begin + 1);
    const auto* after = static_cast<const char*>(
        std::memchr(begin, delimiter_, static_cast<std::size_t>(end_ - begin)));
    if (after == nullptr) after = end_;
    std::string field(trimmed({begin, static_cast<std::size_t>(after - begin)}));
    step_over(after);
    return field;
  }

 private:
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  const char* skip_blanks(const char* from) const {
    while (from != end_ && is_blank(*from)) ++from;
    return from;
  }
  void step_over(const char* after) { next_ = after == end_ ? nullptr : after + 1; }

  std::optional<std::string> quoted(const char* from) {
    std::string field;
    for (;; ++from) {
      if (from == end_) return std::nullopt;
      if (*from == '"') {
        if (from + 1 == end_ || from[1] != '"') break;
        ++from;  // a doubled quote stands for one
      }
      field += *from;
    }
    const char* after = skip_blanks(from + 1);
    if (after != end_ && *after != delimiter_) return std::nullopt;
    step_over(after);
    return std::string(trimmed(field));
  }

  const char* next_;  // nullptr after the last field
  const char* end_;
  char delimiter_;
};

/// Finds out whether a row goes on in the next line: a field began with a quote that is not closed.
class QuoteScan {
 public:
  explicit QuoteScan(char delimiter) : delimiter_(delimiter) {}

  /// The row so far ends within quotes. Looks only at what was added since the last call.
  bool is_open(std::string_view row) {
    for (; scanned_ < row.size(); ++scanned_) {
      const char c = row[scanned_];
      if (open_) {
        open_ = c != '"';  // a doubled quote closes and opens again
        field_begins_ = !open_;
      } else if (c == '"' && field_begins_) {
        open_ = true;
      } else if (c == delimiter_) {
        field_begins_ = true;
      } else if (c != ' ' && c != '\t') {
        field_begins_ = false;
      }
    }
    return open_;
  }

 private:
  char delimiter_;
  std::size_t scanned_ = 0;
  bool open_ = false;
  bool field_begins_ = true;
};

}  // namespace nodl::io
