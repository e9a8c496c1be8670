#include "io/number.h"

#include <locale.h>
#include <stdlib.h>

#include <charconv>
#include <string>

namespace nodl::io {
namespace {

/// std::from_chars does not say whether a number is too large or too small.
double out_of_range_value(const char* first, const char* last) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(first, last);
  return strtod_l(text.c_str(), nullptr, c_locale);
}

}  // namespace

const char* read_number(const char* first, const char* last, double& value) {
  const char* begin = first;
  if (begin != last && *begin == '+') {
    ++begin;
    if (begin != last && *begin == '-') return first;
  }
  const auto [end, error] = std::from_chars(begin, last, value);
  if (error == std::errc::invalid_argument) return first;
  if (error == std::errc::result_out_of_range) value = out_of_range_value(begin, end);
  return end;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* last = text.data() + text.size();
  if (text.empty() || read_number(text.data(), last, value) != last) return std::nullopt;
  return value;
}

std::optional<Index> parse_integer(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Index value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace nodl::io
