// svmlight and libsvm text: LABEL [qid:N] INDEX:VALUE ... [# comment], indices from 1. Labels are
// not used.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "io/bad_row_error.h"
#include "io/byte_source.h"
#include "io/line_reader.h"
#include "io/number.h"
#include "io/readers.h"
#include "io/sparse_reader.h"

namespace nodl::io {
namespace {

/// Class or value, or several of either with commas between.
bool is_label(std::string_view field) {
  while (!field.empty()) {
    const std::size_t comma = field.find(',');
    if (!parse_number(field.substr(0, comma))) return false;
    field.remove_prefix(comma == std::string_view::npos ? field.size() : comma + 1);
  }
  return true;
}

class SvmlightSource : public SparseSource {
 public:
  SvmlightSource(const std::string& path,
                 const ReadOptions& options,
                 Index dimension,
                 std::optional<Index> samples)
      : lines_(path, options), dimension_(dimension), samples_(samples), largest_(options.largest) {
    if (!next_row()) refuse(path, "has no rows");
    held_ = true;
  }

  Index dimension() const override { return dimension_; }
  std::optional<Index> samples() const override { return samples_; }
  Position position(Index coordinate) const override { return {lines_.number(), coordinate + 1}; }

  bool next(SampleEntries& out) override {
    if (!next_row()) return false;
    ++given_;
    std::string_view rest = row_;
    std::string_view field = take_field(rest);
    if (field.find(':') == std::string_view::npos) {
      if (!is_label(field)) refuse_field(BadRowReason::NotANumber, "a label", field);
      field = take_field(rest);
    }
    if (field.starts_with("qid:")) field = take_field(rest);
    for (; !field.empty(); field = take_field(rest)) push(field, out);
    return true;
  }
  Index skip(Index count) override {
    Index skipped = 0;
    while (skipped < count && next_row()) ++skipped;
    given_ += skipped;
    return skipped;
  }

 private:
  /// The next line that is not empty, without its comment.
  bool next_row() {
    if (std::exchange(held_, false)) return true;
    while (lines_.next(row_)) {
      row_ = trimmed(row_.substr(0, row_.find('#')));
      if (!row_.empty()) return true;
    }
    return false;
  }

  void push(std::string_view field, SampleEntries& out) const {
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) {
      refuse_field(BadRowReason::NotANumber, "INDEX:VALUE", field);
    }
    const std::optional<Index> index = parse_integer(field.substr(0, colon));
    if (!index) refuse_field(BadRowReason::NotANumber, "INDEX:VALUE", field);
    const std::optional<double> value = parse_number(field.substr(colon + 1));
    if (!value) refuse_field(BadRowReason::NotANumber, "INDEX:VALUE", field);
    if (*index < 1 || *index > dimension_) refuse_index(*index, field);
    if (!fits(*value, largest_)) {
      refuse_number(lines_.path(), given_ - 1, position(*index - 1), *value, largest_, row_);
    }
    out.push(static_cast<RowIndex>(*index - 1), *value);
  }

  [[noreturn]] void refuse_index(Index index, std::string_view field) const {
    const std::string expected = "an index from 1 to " + std::to_string(dimension_);
    // Who counts from 0 has most likely written the file so, and all of it is one column off.
    const char* hint = "; indices begin at 1 (scikit-learn: zero_based=False)";
    refuse_field(BadRowReason::BadIndex, expected, field, index == 0 ? hint : "");
  }
  [[noreturn]] void refuse_field(BadRowReason reason,
                                 const std::string& expected,
                                 std::string_view found,
                                 const char* hint = "") const {
    refuse_row(lines_.path(),
               given_ - 1,
               {lines_.number(), 0},
               reason,
               "expected " + expected + ", found " + shown(found) + hint,
               row_);
  }

  LineReader lines_;
  Index dimension_;
  std::optional<Index> samples_;
  double largest_;
  std::string_view row_;
  bool held_ = false;  // the row was read and not given
  Index given_ = 0;
};

struct Size {
  Index dimension = 0;
  Index samples = 0;
  std::optional<BadRowError> first_trouble = {};
};

/// By reading everything. Rows that cannot be used do not count for the dimension; who reads them
/// again says what is wrong.
Size size_of(const std::string& path, const ReadOptions& options) {
  SvmlightSource source(path, options, std::numeric_limits<RowIndex>::max(), std::nullopt);
  Size size;
  SampleEntries entries;
  for (;; ++size.samples) {
    entries.clear();
    try {
      if (!source.next(entries)) return size;
    } catch (const BadRowError& error) {
      if (!size.first_trouble) size.first_trouble = error;
      continue;
    }
    const auto& merged = entries.merged();
    if (!merged.empty()) size.dimension = std::max<Index>(size.dimension, merged.back().row + 1);
  }
}

/// Throws DataError for a file that is not there. One that is there is not opened to see: who
/// writes to a pipe would find it closed again.
bool can_be_read_twice(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) open_input(path);
  return is_regular_file(path);
}

}  // namespace

std::unique_ptr<SampleReader> open_svmlight(const std::string& path, const ReadOptions& options) {
  if (options.transpose)
    throw InvalidOptions("svmlight rows are samples; --transpose has no sense");
  Index dimension = options.columns > 0 ? options.columns : options.model_columns;
  std::optional<Index> samples;
  if (dimension == 0) {
    if (!can_be_read_twice(path) || options.follow) {
      throw InvalidOptions(path + ": svmlight input that cannot be read twice needs --columns");
    }
    const Size size = size_of(path, options);
    if (size.dimension == 0 && size.first_trouble) throw BadRowError(*size.first_trouble);
    if (size.dimension == 0) refuse(path, "has no INDEX:VALUE at all; --columns gives the width");
    dimension = size.dimension;
    samples = size.samples;
  }
  check_shape(path, 1, dimension, false);
  return make_reader(
      std::make_unique<SvmlightSource>(path, options, dimension, samples), path, options);
}

}  // namespace nodl::io
