#include "io/failure.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "io/bad_row_error.h"
#include "io/number.h"

namespace nodl::io {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.empty()) return "nothing";
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += control ? '?' : c;
  }
  if (text.size() > kLongest) out += "...";
  return out + "'";
}

std::string shown(double value) {
  if (std::isnan(value)) return "nan";  // without the sign that a NaN may carry
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

void refuse(const std::string& path, const std::string& what) {
  throw DataError(path + ": " + what);
}

void refuse_at_line(const std::string& path, Index line, const std::string& what) {
  throw DataError(path + ": line " + std::to_string(line) + ": " + what);
}

void refuse_row(const std::string& path,
                Index sample,
                Position position,
                BadRowReason reason,
                const std::string& what,
                std::string_view text) {
  constexpr std::size_t kLongestText = 1000;
  std::string place;
  if (position.row > 0) place = "row " + std::to_string(position.row);
  if (position.column > 0) {
    place += (place.empty() ? "column " : ", column ") + std::to_string(position.column);
  }
  throw BadRowError({path,
                     sample,
                     position.row,
                     position.column,
                     reason,
                     place + ": " + what,
                     std::string(text.substr(0, kLongestText))});
}

void refuse_number(const std::string& path,
                   Index sample,
                   Position position,
                   double value,
                   double largest,
                   std::string_view text) {
  const bool float32 = largest == double{std::numeric_limits<float>::max()};
  BadRowReason reason = BadRowReason::TooLarge;
  std::string what = float32 ? "a number that fits into float32"
                             : "a number of at most " + shown(largest) + " in size";
  what += ", found " + shown(value);
  if (is_unreadable(value)) {
    reason = BadRowReason::NotANumber;
    what = "a number, found something else";
  } else if (!std::isfinite(value)) {
    reason = BadRowReason::NotFinite;
    what = "a finite number, found " + shown(value);
  }
  refuse_row(path, sample, position, reason, "expected " + what, text);
}

void refuse_input(const std::string& path, const char* verb, int error) {
  throw DataError(path + ": cannot be " + verb + ": " + std::strerror(error));
}

void fail_output(const std::string& path, int error) {
  throw ResourceError(path + ": cannot be written: " + std::strerror(error));
}

}  // namespace nodl::io
