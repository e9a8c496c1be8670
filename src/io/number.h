// Numbers as text, whatever the locale.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "nodl/io/sample_reader.h"
#include "nodl/types.h"

namespace nodl::io {

/// Reads a number from the beginning of [first, last); returns its end, or `first` if there is
/// none. Too large is infinite; too small is zero or subnormal, as the nearest double is.
const char* read_number(const char* first, const char* last, double& value);
/// All of the text is the number.
std::optional<double> parse_number(std::string_view text);
std::optional<Index> parse_integer(std::string_view text);

/// False for NaN, for infinity, and for what is larger.
inline bool fits(double value, double largest) { return std::abs(value) <= largest; }

/// How large a number may be that is read as Scalar.
template <class Scalar>
double largest_number(const ReadOptions& options) {
  return std::min(options.largest, static_cast<double>(std::numeric_limits<Scalar>::max()));
}

/// Stands for text that is no number, where its place is known but not yet whether it is wanted: a
/// NaN of its own, which sums and changes of sign keep.
double unreadable_number();
bool is_unreadable(double value);

}  // namespace nodl::io
