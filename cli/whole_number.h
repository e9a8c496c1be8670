// A flag whose value is a whole number in a range.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <type_traits>

namespace nodl::cli {

/// Says what was expected, which CLI11's own checks do not, and adds nothing to help texts.
template <class Integer>
CLI::Validator whole_number(Integer least, Integer most = std::numeric_limits<Integer>::max()) {
  const auto check = [least, most](const std::string& text) -> std::string {
    Integer value{};
    // "-1" as an unsigned number would be the largest one.
    const bool wraps = std::is_unsigned_v<Integer> && text.find('-') != std::string::npos;
    const bool number = !wraps && CLI::detail::lexical_cast(text, value);
    if (number && value >= least && value <= most) return "";
    const std::string range = most == std::numeric_limits<Integer>::max()
                                  ? fmt::format("of at least {}", least)
                                  : fmt::format("from {} to {}", least, most);
    return fmt::format("expected a whole number {}, found {}", range, text);
  };
  return {check, ""};
}

}  // namespace nodl::cli
