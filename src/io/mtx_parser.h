// MatrixMarket text: https://math.nist.gov/MatrixMarket/formats.html
#pragma once

#include <string>
#include <string_view>

#include "io/line_reader.h"
#include "nodl/types.h"

namespace nodl::io {

enum class MtxSymmetry { General, Symmetric, Skew };

struct MtxHeader {
  bool coordinate = true;
  bool pattern = false;  // entries without values: all are 1
  MtxSymmetry symmetry = MtxSymmetry::General;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;  // lines that follow
};

/// The lines of a file, checked: numbers, unless bad rows are told apart; indices within the
/// matrix; as many as announced.
class MtxParser {
 public:
  MtxParser(const std::string& path, const ReadOptions& options);

  const MtxHeader& header() const { return header_; }
  Index line() const { return lines_.number(); }
  const std::string& path() const { return lines_.path(); }

  /// The next entry of a coordinate file, indices from 0; false after the last.
  bool next_entry(Index& row, Index& column, double& value);
  /// The next number of an array file.
  bool next_value(double& value);

 private:
  bool next_line(std::string_view& line);
  void parse_banner();
  void parse_sizes();
  Index array_entries() const;
  void check_against_file_size() const;
  bool more();
  [[noreturn]] void fail(const std::string& what) const;

  /// Row and column, from 1, stand in the message; 0 where it has none.
  double number(std::string_view field, Index row, Index column) const;

  LineReader lines_;
  bool stops_at_bad_numbers_;
  double largest_;
  MtxHeader header_;
  Index read_ = 0;
};

}  // namespace nodl::io
