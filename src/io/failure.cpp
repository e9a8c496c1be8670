#include "io/failure.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "io/bad_row_error.h"

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

template <class Scalar>
void refuse_number(
    const std::string& path, Index sample, Position position, double value, std::string_view text) {
  const bool too_large = std::is_same_v<Scalar, float> && std::isfinite(value);
  const std::string expected = too_large ? "a number that fits into float32" : "a finite number";
  refuse_row(path,
             sample,
             position,
             BadRowReason::NotFinite,
             "expected " + expected + ", found " + shown(value),
             text);
}
template void refuse_number<double>(const std::string&, Index, Position, double, std::string_view);
template void refuse_number<float>(const std::string&, Index, Position, double, std::string_view);

void refuse_input(const std::string& path, const char* verb, int error) {
  throw DataError(path + ": cannot be " + verb + ": " + std::strerror(error));
}

void fail_output(const std::string& path, int error) {
  throw ResourceError(path + ": cannot be written: " + std::strerror(error));
}

}  // namespace nodl::io
