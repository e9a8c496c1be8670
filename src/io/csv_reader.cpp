// .csv and .tsv: numbers, one sample a row, read as a stream.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "io/csv_fields.h"
#include "io/dense_reader.h"
#include "io/number_spool.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

std::string columns_text(Index count) {
  return std::to_string(count) + (count == 1 ? " column" : " columns");
}

/// What other programs write where they have no number. (NaN is read as a number.)
bool is_missing(std::string field) {
  constexpr std::array<std::string_view, 5> kMissing = {"", "na", "n/a", "null", "?"};
  std::transform(field.begin(), field.end(), field.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

class CsvSource : public DenseSource {
 public:
  CsvSource(const std::string& path, char delimiter, const ReadOptions& options)
      : lines_(path, options),
        delimiter_(delimiter),
        missing_(options.missing),
        stops_at_bad_numbers_(!options.transpose || options.bad_rows == nullptr),
        largest_(options.largest) {
    if (!begin_row()) refuse(path, "has no rows");
    const bool header = count_columns();
    if (options.columns > 0) columns_ = options.columns;  // the first row may be a torn one
    check_shape(path, 1, columns_, false);
    // Blank lines between a header and its rows are no rows.
    if (header && next_row() == Row::None) refuse(path, "has a header and no rows");
    held_ = true;
  }

  Index dimension() const override { return columns_; }
  std::optional<Index> samples() const override { return std::nullopt; }
  Position position(Index coordinate) const override { return place(coordinate); }
  Index row_number() const { return lines_.number(); }

  bool next(double* sample) override {
    if (!begin_row()) return false;
    ++given_;
    parse(sample);
    return true;
  }
  Index skip(Index count) override {
    Index skipped = 0;
    while (skipped < count && next_row() != Row::None) ++skipped;
    given_ += skipped;
    return skipped;
  }

 private:
  enum class Row { None, Blank, There };

  Position place(Index column) const { return {lines_.number(), column + 1}; }

  /// The next row, which may span lines if they are within quotes. Blank lines may end a file;
  /// within it they are a row that is not there, and the row after them is held back.
  Row next_row() {
    if (std::exchange(held_, false)) return Row::There;
    blank_ = 0;
    while (lines_.next(row_)) {
      if (row_.find_first_not_of(delimiter_ == '\t' ? " " : " \t") != std::string_view::npos) {
        join_lines();
        held_ = blank_ > 0;
        return held_ ? Row::Blank : Row::There;
      }
      if (blank_ == 0) blank_ = lines_.number();
    }
    return Row::None;
  }

  /// False at the end; throws BadRowError instead of a blank row.
  bool begin_row() {
    const Row row = next_row();
    if (row == Row::Blank) {
      ++given_;
      refuse_row(lines_.path(),
                 given_ - 1,
                 {blank_, 0},
                 BadRowReason::WrongWidth,
                 "expected " + (columns_ > 0 ? columns_text(columns_) : "numbers") +
                     ", found an empty line");
    }
    return row == Row::There;
  }

  void join_lines() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const bool marked = lines_.number() == 1 && row_.starts_with(kByteOrderMark);
    const auto row = [&] { return row_.substr(marked ? kByteOrderMark.size() : 0); };
    if (row_.find('"') != std::string_view::npos) {
      QuoteScan quotes(delimiter_);
      while (quotes.is_open(row())) {
        if (lines_.extend(row_)) continue;
        lines_.shrink(row_);  // a quote that is never closed spoils its own line only
        break;
      }
    }
    row_ = row();
  }

  /// Whether the row is a header: it has text, and no number.
  bool count_columns() {
    bool any_number = false;
    bool any_text = false;
    for (CsvFields fields(row_, delimiter_); !fields.at_end(); ++columns_) {
      const std::optional<std::string> field = fields.text();
      if (!field) refuse_field(columns_, BadRowReason::NotANumber, "quotes that do not match");
      const bool number = parse_number(*field).has_value();
      any_number = any_number || number;
      any_text = any_text || (!number && !is_missing(*field));
    }
    return any_text && !any_number;
  }

  void parse(double* sample) const {
    CsvFields fields(row_, delimiter_);
    Index column = 0;
    for (; !fields.at_end(); ++column) {
      if (column == columns_) refuse_width(fields, column);
      double& value = sample[column];
      if (!fields.number(value)) value = parse_text(fields, column);
      if (fits(value, largest_)) continue;
      if (missing_ == Missing::Zero && std::isnan(value)) {
        value = 0;
      } else if (stops_at_bad_numbers_) {
        refuse_number(lines_.path(), given_ - 1, place(column), value, largest_, row_);
      }
    }
    if (column < columns_) refuse_width(fields, column);
  }

  double parse_text(CsvFields& fields, Index column) const {
    const std::optional<std::string> field = fields.text();
    if (!field) refuse_field(column, BadRowReason::NotANumber, "quotes that do not match");
    const std::optional<double> value = parse_number(*field);
    if (value) return *value;
    const bool missing = is_missing(*field);
    if (missing && missing_ == Missing::Zero) return 0;
    if (!stops_at_bad_numbers_) return unreadable_number();
    refuse_field(column,
                 missing ? BadRowReason::Missing : BadRowReason::NotANumber,
                 field->empty() ? "an empty field" : shown(*field));
  }

  [[noreturn]] void refuse_field(Index column,
                                 BadRowReason reason,
                                 const std::string& found) const {
    refuse_row(lines_.path(),
               given_ - 1,
               place(column),
               reason,
               "expected a number, found " + found,
               row_);
  }
  [[noreturn]] void refuse_width(CsvFields& fields, Index found) const {
    while (!fields.at_end() && fields.text()) ++found;
    refuse_row(lines_.path(),
               given_ - 1,
               place(std::min(found, columns_)),
               BadRowReason::WrongWidth,
               "expected " + columns_text(columns_) + ", found " + columns_text(found),
               row_);
  }

  LineReader lines_;
  char delimiter_;
  Missing missing_;
  bool stops_at_bad_numbers_;
  double largest_;
  Index columns_ = 0;
  std::string_view row_;
  bool held_ = false;  // the row was read and not given
  Index blank_ = 0;    // number of the first blank line before the row
  Index given_ = 0;
};

/// Samples that are columns need every line: they go to a temporary file first. There a row of
/// another width is a coordinate of all samples, and stops the run whatever is to be done with bad
/// samples.
std::unique_ptr<SampleReader> open_transposed(CsvSource source,
                                              const std::string& path,
                                              const ReadOptions& options) {
  NumberSpool spool;
  std::vector<double> row(static_cast<std::size_t>(source.dimension()));
  const Index first_row = source.row_number();
  Index rows = 0;
  for (; source.next(row.data()); ++rows) spool.push(row);
  return spool.reader(rows, source.dimension(), false, path, options, first_row);
}

}  // namespace

std::unique_ptr<SampleReader> open_csv(const std::string& path,
                                       char delimiter,
                                       const ReadOptions& options) {
  if (options.transpose) {
    return open_transposed(CsvSource(path, delimiter, options), path, options);
  }
  return make_reader(std::make_unique<CsvSource>(path, delimiter, options), path, options);
}

}  // namespace nodl::io
