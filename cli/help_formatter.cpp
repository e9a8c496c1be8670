#include "help_formatter.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace nodl::cli {
namespace {

constexpr std::size_t kTextColumn = 30;
constexpr int kWidth = 100;         // of lines, at most
constexpr char kUnbroken = '\x1f';  // a space at which no line ends

/// Lines fit the terminal, if there is one.
std::size_t line_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return static_cast<std::size_t>(known ? std::clamp<int>(size.ws_col - 1, 60, kWidth) : kWidth);
}

/// A left part and a text that is wrapped beside it, or below if the left part is too long.
std::string entry(const std::string& left, const std::string& text) {
  std::string lines = "  " + left;
  const std::size_t width = line_width();
  std::size_t at = lines.size();
  const auto to_text_column = [&] {
    lines += at + 1 > kTextColumn ? "\n" + std::string(kTextColumn, ' ')
                                  : std::string(kTextColumn - at, ' ');
    at = kTextColumn;
  };
  to_text_column();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::replace(word.begin(), word.end(), kUnbroken, ' ');
    if (at > kTextColumn && at + 1 + word.size() > width) to_text_column();
    if (at > kTextColumn) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines + "\n";
}

std::string flag_name(const CLI::Option* option) {
  std::string name;
  for (const std::string& letter : option->get_snames()) name += "-" + letter + ", ";
  if (option->get_lnames().empty()) return name;
  const std::string& word = option->get_lnames().front();
  // CLI11 keeps a negated name (--no-refit) apart.
  const bool has_negation = !option->get_fnames().empty();
  return name + (has_negation ? "--[no-]" : "--") + word;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app,
                                     std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string text = make_description(app) + make_usage(app, name) + make_positionals(app);
  // CLI11 begins with the group of --help; here it comes last.
  std::vector<std::string> groups = app->get_groups();
  const auto common = std::find(groups.begin(), groups.end(), "Options");
  if (common != groups.end()) std::rotate(common, common + 1, groups.end());
  text += make_subcommands(app, mode);
  for (const std::string& group : groups) {
    const auto options = app->get_options([&](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (!group.empty() && !options.empty()) text += make_group(group, false, options);
  }
  return text + "\n" + make_footer(app);
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string line = "\nUsage: " + name;
  const auto is_flag = [](const CLI::Option* option) { return option->nonpositional(); };
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) line += " " + make_option_usage(option);
  }
  for (const CLI::Option* option : app->get_options(is_flag)) {
    if (option->get_required())
      line += fmt::format(" {} {}", flag_name(option), option->get_type_name());
  }
  if (!app->get_subcommands(nullptr).empty()) {
    line += " COMMAND ...";
  } else if (!app->get_options(is_flag).empty()) {
    line += " [options]";
  }
  return line + "\n";
}

std::string HelpFormatter::make_group(std::string group,
                                      bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  std::string text = "\n" + group + ":\n";
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = is_positional ? make_option_usage(option) : flag_name(option);
  const bool takes_value = option->get_type_size() != 0;
  if (!is_positional && takes_value) left += " " + option->get_type_name();
  std::string text = option->get_description();
  std::string usual = option->get_default_str();
  std::replace(usual.begin(), usual.end(), ' ', kUnbroken);
  if (!usual.empty()) text += " [" + usual + "]";
  return entry(left, text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::string purpose = command->get_description();
  return entry(command->get_name(), purpose.substr(0, purpose.find('\n')));
}

}  // namespace nodl::cli
