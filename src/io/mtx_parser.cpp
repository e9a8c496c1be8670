#include "io/mtx_parser.h"

#include <sys/stat.h>

#include <algorithm>

#include "io/failure.h"
#include "io/number.h"

namespace nodl::io {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

MtxParser::MtxParser(const std::string& path, const ReadOptions& options)
    : lines_(path, options),
      stops_at_bad_numbers_(options.bad_rows == nullptr),
      largest_(options.largest) {
  parse_banner();
  parse_sizes();
}

void MtxParser::parse_banner() {
  std::string_view line;
  if (!lines_.next(line)) refuse(path(), "is empty");
  if (lower(take_field(line)) != "%%matrixmarket") {
    refuse_at_line(path(), 1, "expected a MatrixMarket header (%%MatrixMarket matrix ...)");
  }
  const std::string object = lower(take_field(line));
  const std::string format = lower(take_field(line));
  const std::string field = lower(take_field(line));
  const std::string symmetry = lower(take_field(line));
  if (object != "matrix") fail("expected a matrix, found " + shown(object));
  if (format != "coordinate" && format != "array") {
    fail("expected coordinate or array, found " + shown(format));
  }
  header_.coordinate = format == "coordinate";
  header_.pattern = field == "pattern";
  const bool known = field == "real" || field == "double" || field == "integer" ||
                     field == "unsigned-integer" || (header_.pattern && header_.coordinate);
  if (!known) fail("expected real, integer or (coordinate) pattern, found " + shown(field));
  if (symmetry == "symmetric") {
    header_.symmetry = MtxSymmetry::Symmetric;
  } else if (symmetry == "skew-symmetric") {
    header_.symmetry = MtxSymmetry::Skew;
  } else if (symmetry != "general") {
    fail("expected general, symmetric or skew-symmetric, found " + shown(symmetry));
  }
}

void MtxParser::parse_sizes() {
  std::string_view line;
  do {
    if (!lines_.next(line)) fail("is truncated: expected the line of sizes");
  } while (line.starts_with('%') || trimmed(line).empty());
  const auto size = [&]() -> Index {
    const std::string_view field = take_field(line);
    const std::optional<Index> value = parse_integer(field);
    if (!value || *value < 0) fail("expected a size, found " + shown(field));
    return *value;
  };
  header_.rows = size();
  header_.columns = size();
  if (header_.symmetry != MtxSymmetry::General && header_.rows != header_.columns) {
    fail("expected as many rows as columns in a symmetric matrix");
  }
  header_.entries = header_.coordinate ? size() : array_entries();
  check_against_file_size();
  if (!trimmed(line).empty())
    fail("expected nothing after the sizes, found " + shown(trimmed(line)));
}

/// An entry takes at least "1\n" (array), "1 1\n" (coordinate). Compressed files and pipes do not
/// tell how long they are, and nothing is ever allocated by what the header says.
void MtxParser::check_against_file_size() const {
  struct stat status {};
  if (::stat(path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (lines_.is_compressed()) return;
  const Index most = static_cast<Index>(status.st_size) + 1;
  if (header_.entries > most / (header_.coordinate ? 4 : 2) + 1) {
    fail("is truncated: expected " + std::to_string(header_.entries) +
         " entries, more than a file of this size can hold");
  }
}

Index MtxParser::array_entries() const {
  const Index n = header_.rows;
  Index all = 0;
  if (__builtin_mul_overflow(n, header_.columns, &all)) fail("the matrix is too large");
  switch (header_.symmetry) {
    case MtxSymmetry::Symmetric:
      return (all - n) / 2 + n;
    case MtxSymmetry::Skew:
      return (all - n) / 2;
    default:
      return all;
  }
}

bool MtxParser::next_line(std::string_view& line) {
  while (lines_.next(line)) {
    if (!line.empty() && line.front() != '%' && !trimmed(line).empty()) return true;
  }
  return false;
}

/// False after the announced number of entries, if nothing follows them.
bool MtxParser::more() {
  if (read_ < header_.entries) return true;
  std::string_view line;
  if (next_line(line)) {
    fail("expected " + std::to_string(header_.entries) + " entries, found more");
  }
  return false;
}

bool MtxParser::next_entry(Index& row, Index& column, double& value) {
  if (!more()) return false;
  std::string_view line;
  if (!next_line(line)) {
    fail("is truncated: expected " + std::to_string(header_.entries) + " entries, found " +
         std::to_string(read_));
  }
  const auto index = [&](const char* what, Index size) -> Index {
    const std::string_view field = take_field(line);
    const std::optional<Index> number = parse_integer(field);
    if (!number || *number < 1 || *number > size) {
      fail(std::string("expected a ") + what + " from 1 to " + std::to_string(size) + ", found " +
           shown(field));
    }
    return *number - 1;
  };
  row = index("row", header_.rows);
  column = index("column", header_.columns);
  value = 1;
  if (!header_.pattern) {
    const std::string_view field = take_field(line);
    value = number(field, row + 1, column + 1);
  }
  line = trimmed(line);
  if (!line.empty()) fail("expected nothing more on the line, found " + shown(line));
  ++read_;
  return true;
}

bool MtxParser::next_value(double& value) {
  if (!more()) return false;
  std::string_view line;
  if (!next_line(line)) {
    fail("is truncated: expected " + std::to_string(header_.entries) + " numbers, found " +
         std::to_string(read_));
  }
  value = number(trimmed(line), 0, 0);
  ++read_;
  return true;
}

double MtxParser::number(std::string_view field, Index row, Index column) const {
  const std::optional<double> value = parse_number(field);
  if (value && fits(*value, largest_)) return *value;
  if (!stops_at_bad_numbers_) return value.value_or(unreadable_number());
  const std::string place =
      row > 0 ? "row " + std::to_string(row) + ", column " + std::to_string(column) + ": " : "";
  const bool too_large = value && std::isfinite(*value);
  fail(place + "expected a " +
       (too_large ? "number of at most " + shown(largest_) + " in size" : "finite number") +
       ", found " + (value ? shown(*value) : shown(field)));
}

void MtxParser::fail(const std::string& what) const {
  refuse_at_line(path(), std::max<Index>(1, lines_.number()), what);
}

}  // namespace nodl::io
