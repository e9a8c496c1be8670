#include "table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nodl::cli {

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Table::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = fmt::format("{}{:<{}}", indent, row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string grouped(long long number) {
  std::string digits = fmt::format("{}", number);
  const auto first = static_cast<std::ptrdiff_t>(digits.starts_with('-'));
  const bool long_enough = static_cast<std::ptrdiff_t>(digits.size()) - first > 4;
  if (!long_enough) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ' ');
  }
  return digits;
}

std::string counted(long long number, const char* one, const char* many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 1);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string bytes(double count) {
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (count < 1000) break;
    count /= 1000;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", count, unit[0] == 'B' ? 0 : 1, unit);
}

}  // namespace nodl::cli
