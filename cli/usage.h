// What a user typed wrong, in one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli11_fwd.h"

namespace nodl::cli {

/// The candidate that is fewest typing errors away, if it is near enough to be meant.
std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& candidates);

/// What was wrong with the command line that `error` came from; unknown flags first, because a
/// flag that is missing is often one that was misspelt.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace nodl::cli
