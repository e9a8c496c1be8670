#include "usage.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

namespace nodl::cli {
namespace {

/// Levenshtein's distance.
std::size_t typing_errors(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

const CLI::App* innermost(const CLI::App& app, std::string& name) {
  name += (name.empty() ? "" : " ") + app.get_name();
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? &app : innermost(*chosen.front(), name);
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands.push_back(command->get_name());
  }
  return commands;
}

std::string unknown(const std::string& kind,
                    const std::string& typed,
                    const std::vector<std::string>& candidates) {
  const auto meant = nearest(typed, candidates);
  return fmt::format("unknown {} {}{}",
                     kind,
                     typed,
                     meant ? fmt::format(" (did you mean {}?)", *meant) : std::string());
}

}  // namespace

std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // A beginning is how people abbreviate: --code for --code-nonzeros.
    const bool beginning = typed.size() >= 5 && candidate.starts_with(typed);
    const std::size_t errors = beginning ? 1 : typing_errors(typed, candidate);
    if (errors < fewest) {
      fewest = errors;
      best = candidate;
    }
  }
  return best;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const CLI::App* command = innermost(app, name);
  const std::string help = fmt::format("; see {} --help", name);
  const auto left_over = app.remaining(true);
  for (const std::string& typed : left_over) {
    if (typed.starts_with("-") && typed.size() > 1) {
      return unknown("flag", typed.substr(0, typed.find('=')), flags_of(*command)) + help;
    }
  }
  if (!left_over.empty()) {
    const auto commands = commands_of(*command);
    if (commands.empty()) return "unexpected argument " + left_over.front() + help;
    return unknown("command", left_over.front(), commands) + help;
  }
  std::string what = error.what();
  const std::size_t repeated = what.find(": At Most 1 required but received");
  if (repeated != std::string::npos) what = what.substr(0, repeated) + " is given more than once";
  std::replace(what.begin(), what.end(), '\n', ' ');
  // CLI11 writes "any positive number" as a range up to the largest double, 309 digits long.
  const std::size_t range = what.find(" not in range 0.000000 to 17976931348623157");
  if (range != std::string::npos) what = what.substr(0, range) + " is too small";
  return what + help;
}

}  // namespace nodl::cli
