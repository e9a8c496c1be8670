#include "io/number.h"

#include <locale.h>
#include <stdlib.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>

namespace nodl::io {
namespace {

/// std::from_chars does not say whether a number is too large or too small.
double out_of_range_value(const char* first, const char* last) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(first, last);
  return strtod_l(text.c_str(), nullptr, c_locale);
}

constexpr std::uint64_t kUnreadable = 0x7ff8'6e6f'646c'0001;  // a quiet NaN
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

}  // namespace

double unreadable_number() { return std::bit_cast<double>(kUnreadable); }
bool is_unreadable(double value) {
  return (std::bit_cast<std::uint64_t>(value) & ~kSign) == kUnreadable;
}

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
