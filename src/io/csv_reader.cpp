// .csv and .tsv: numbers, one sample a line, read as a stream.
#include <algorithm>
#include <cstring>

#include "io/dense_reader.h"
#include "io/line_reader.h"
#include "io/number.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

std::string columns_text(Index count) {
  return std::to_string(count) + (count == 1 ? " column" : " columns");
}

/// Fields of a line, one after the other.
class Fields {
 public:
  Fields(std::string_view line, char delimiter)
      : next_(line.data()), end_(line.data() + line.size()), delimiter_(delimiter) {}

  bool at_end() const { return next_ == nullptr; }

  /// The next field if it is a plain number; the usual and fast case. Else nothing is consumed.
  bool number(double& value) {
    const char* begin = skip_blanks(next_);
    const char* after = read_number(begin, end_, value);
    if (after == begin) return false;
    after = skip_blanks(after);
    if (after != end_ && *after != delimiter_) return false;
    step_over(after);
    return true;
  }

  /// The next field, trimmed and without quotes; nothing if a quote is not closed or text follows
  /// it.
  std::optional<std::string> text() {
    const char* begin = skip_blanks(next_);
    if (begin != end_ && *begin == '"') return quoted(begin + 1);
    const auto* after = static_cast<const char*>(
        std::memchr(begin, delimiter_, static_cast<std::size_t>(end_ - begin)));
    if (after == nullptr) after = end_;
    std::string field(trimmed({begin, static_cast<std::size_t>(after - begin)}));
    step_over(after);
    return field;
  }

 private:
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  const char* skip_blanks(const char* from) const {
    while (from != end_ && is_blank(*from)) ++from;
    return from;
  }
  void step_over(const char* after) { next_ = after == end_ ? nullptr : after + 1; }

  std::optional<std::string> quoted(const char* from) {
    std::string field;
    for (;; ++from) {
      if (from == end_) return std::nullopt;
      if (*from == '"') {
        if (from + 1 == end_ || from[1] != '"') break;
        ++from;  // a doubled quote stands for one
      }
      field += *from;
    }
    const char* after = skip_blanks(from + 1);
    if (after != end_ && *after != delimiter_) return std::nullopt;
    step_over(after);
    return std::string(trimmed(field));
  }

  const char* next_;  // nullptr after the last field
  const char* end_;
  char delimiter_;
};

class CsvSource : public DenseSource {
 public:
  CsvSource(const std::string& path, char delimiter) : lines_(path), delimiter_(delimiter) {
    std::string_view line;
    if (!next_line(line)) refuse(path, "has no rows");
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // byte order mark
    const bool header = count_columns(line);
    check_shape(path, 1, columns_, false);
    first_line_ = std::string(line);
    if (header && !next_line(line)) refuse(path, "has a header and no rows");
    if (header) first_line_ = std::string(line);
    first_number_ = lines_.number();
    has_first_line_ = true;
  }

  Index dimension() const override { return columns_; }
  std::optional<Index> samples() const override { return std::nullopt; }
  Position position(Index coordinate) const override { return {lines_.number(), coordinate + 1}; }
  Index first_row() const { return first_number_; }

  bool next(double* sample) override {
    std::string_view line;
    if (!take_line(line)) return false;
    parse(line, sample);
    return true;
  }
  bool skip() override {
    std::string_view line;
    return take_line(line);
  }

 private:
  /// Whether the line is a header: none of its fields is a number.
  bool count_columns(std::string_view line) {
    bool any_number = false;
    for (Fields fields(line, delimiter_); !fields.at_end(); ++columns_) {
      const std::optional<std::string> field = fields.text();
      if (!field) refuse_quotes(columns_);
      any_number = any_number || parse_number(*field).has_value();
    }
    return !any_number;
  }

  bool take_line(std::string_view& line) {
    if (has_first_line_) {
      has_first_line_ = false;
      line = first_line_;
      return true;
    }
    return next_line(line);
  }

  /// Blank lines may end a file, not stand within it.
  bool next_line(std::string_view& line) {
    Index blank = 0;
    while (lines_.next(line)) {
      if (line.find_first_not_of(delimiter_ == '\t' ? " " : " \t") != std::string_view::npos) {
        if (blank == 0) return true;
        throw DataError(lines_.path() + ": row " + std::to_string(blank) + ": expected " +
                        (columns_ > 0 ? columns_text(columns_) : "numbers") +
                        ", found an empty line");
      }
      if (blank == 0) blank = lines_.number();
    }
    return false;
  }

  void parse(std::string_view line, double* sample) {
    Fields fields(line, delimiter_);
    Index column = 0;
    for (; !fields.at_end(); ++column) {
      if (column == columns_) refuse_width(fields, column);
      if (!fields.number(sample[column])) sample[column] = parse_text(fields, column);
      if (!fits<double>(sample[column])) {
        refuse_number<double>(lines_.path(), position(column), sample[column]);
      }
    }
    if (column < columns_) refuse_width(fields, column);
  }

  double parse_text(Fields& fields, Index column) {
    const std::optional<std::string> field = fields.text();
    if (!field) refuse_quotes(column);
    const std::optional<double> value = parse_number(*field);
    if (!value) {
      refuse_value(lines_.path(),
                   position(column),
                   "a number",
                   field->empty() ? "an empty field" : shown(*field));
    }
    return *value;
  }

  [[noreturn]] void refuse_quotes(Index column) {
    refuse_value(lines_.path(), position(column), "a number", "quotes that do not match");
  }
  [[noreturn]] void refuse_width(Fields& fields, Index found) {
    while (!fields.at_end() && fields.text()) ++found;
    refuse_value(lines_.path(),
                 {lines_.number(), std::min(found, columns_) + 1},
                 columns_text(columns_),
                 columns_text(found));
  }

  LineReader lines_;
  char delimiter_;
  Index columns_ = 0;
  std::string first_line_;
  bool has_first_line_ = false;
  Index first_number_ = 1;
};

/// Samples that are columns need every line: such a file is held in memory whole.
LoadedMatrix load_transposed(CsvSource& source, const std::string& path) {
  LoadedMatrix matrix;
  const Index columns = source.dimension();
  Index rows = 0;
  for (std::vector<double> row(static_cast<std::size_t>(columns)); source.next(row.data());
       ++rows) {
    matrix.values.insert(matrix.values.end(), row.begin(), row.end());
  }
  check_shape(path, rows, columns, true);
  matrix.samples = columns;
  matrix.dimension = rows;
  matrix.sample_stride = 1;
  matrix.coordinate_stride = columns;
  matrix.transposed = true;
  matrix.first_row = source.first_row();
  return matrix;
}

}  // namespace

std::unique_ptr<SampleReader> open_csv(const std::string& path,
                                       char delimiter,
                                       const ReadOptions& options) {
  auto source = std::make_unique<CsvSource>(path, delimiter);
  if (!options.transpose) return make_reader(std::move(source), path, options.rows);
  return make_reader(make_source(load_transposed(*source, path)), path, options.rows);
}

}  // namespace nodl::io
