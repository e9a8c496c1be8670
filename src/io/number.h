// Numbers as text, whatever the locale.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "nodl/types.h"

namespace nodl::io {

/// Reads a number from the beginning of [first, last); returns its end, or `first` if there is
/// none. Too large is infinite; too small is zero or subnormal, as the nearest double is.
const char* read_number(const char* first, const char* last, double& value);
/// All of the text is the number.
std::optional<double> parse_number(std::string_view text);
std::optional<Index> parse_integer(std::string_view text);

/// False for NaN, for infinity, and for what does not fit.
template <class Scalar>
bool fits(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<Scalar>::max());
}

}  // namespace nodl::io
