#include "io/failure.h"

#include <charconv>
#include <cmath>
#include <cstring>

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

void refuse_value(const std::string& path,
                  Position position,
                  const std::string& expected,
                  const std::string& found) {
  throw DataError(path + ": row " + std::to_string(position.row) + ", column " +
                  std::to_string(position.column) + ": expected " + expected + ", found " + found);
}

template <class Scalar>
void refuse_number(const std::string& path, Position position, double value) {
  const bool too_large = std::is_same_v<Scalar, float> && std::isfinite(value);
  refuse_value(path,
               position,
               too_large ? "a number that fits into float32" : "a finite number",
               shown(value));
}
template void refuse_number<double>(const std::string&, Position, double);
template void refuse_number<float>(const std::string&, Position, double);

void refuse_input(const std::string& path, const char* verb, int error) {
  throw DataError(path + ": cannot be " + verb + ": " + std::strerror(error));
}

void fail_output(const std::string& path, int error) {
  throw ResourceError(path + ": cannot be written: " + std::strerror(error));
}

}  // namespace nodl::io
