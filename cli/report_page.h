// Report pages: one HTML file that needs nothing else. C++ says what is on the page, as blocks of
// JSON; report/page.js draws them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodl/options.h"
#include "nodl/sparse.h"

namespace nodl::cli {

/// A number beside its name; `value` is a number or a text.
struct Fact {
  std::string name;
  nlohmann::json value;
  std::optional<int> digits;  // after the point; none: as many as needed
  std::string note;
};

/// The colours of the page, the same for one thing all over it.
enum class Colour { Blue = 0, Orange = 1, Green = 2, Purple = 3, Grey = 4, Red = 5, Teal = 6 };

struct ReportTable {
  struct Column {
    std::string name;
    std::string group;  // columns of one group stand under one title
    std::optional<int> digits;
  };
  enum class Tone { Plain, Good, Bad };
  struct Row {
    std::vector<nlohmann::json> cells;
    std::vector<Tone> tones;  // empty: all plain
    std::optional<Colour> colour;
    std::string note;  // beside the first cell
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct Series {
  /// Dots: marks joined by a line, also where there are gaps between them.
  enum class Kind { Line, Steps, Bars, Points, Dots };
  std::string name;
  std::vector<double> values;  // one for each x; NaN: none
  Colour colour = Colour::Blue;
  Kind kind = Kind::Line;
  bool below = false;  // drawn downwards from zero
  bool dashed = false;
  std::vector<double> low = {};  // where given, the band between low and high is shaded
  std::vector<double> high = {};
};

/// A stretch of the x axis with a name.
struct Band {
  double from = 0;
  double to = 0;
  std::string label;
  bool shaded = false;
};

struct Chart {
  std::string title;
  std::string caption;
  std::string x_name;  // of one point, "batch"
  std::string x_label;
  std::vector<double> x;  // rising
  std::string y_label;
  std::optional<double> y_min;
  std::optional<double> y_max;
  std::optional<int> digits;
  std::vector<Series> series;
  std::vector<Band> bands;
  bool stacked = false;
  std::string group;  // charts of one group share cursor and zoom
  int height = 200;
};

struct Part {
  std::string name;
  double value = 0;
  Colour colour = Colour::Blue;
};

/// Which coordinates each atom uses, as a picture.
struct Supports {
  struct Side {
    std::string label;
    Index size = 0;  // coordinates
  };
  struct Picture {
    std::string title;
    std::string below;
    std::vector<std::vector<Index>> atoms;  // coordinates that are not zero
    std::optional<Colour> colour;
  };
  std::string title;
  std::string caption;
  std::vector<Side> sides;  // from the top
  std::vector<Picture> pictures;
};

/// A statement with what became of it, once for each way of testing it.
struct VerdictRow {
  struct Outcome {
    std::string name;     // of the way of testing
    std::string verdict;  // "holds", ...
    std::string tone;     // good, part, bad or none
    std::string numbers;  // lines
  };
  int number = 0;  // the same all over the page
  std::string statement;
  std::string place;
  std::string remark;
  std::vector<Outcome> outcomes;
};

/// Grey pictures side by side.
struct Rasters {
  struct Picture {
    std::string title;
    nlohmann::json raster;  // width, height, grey: base64 of bytes, row by row
  };
  std::string title;
  std::string caption;
  int columns = 3;
  int width = 0;  // of a picture on the page, in pixels; 0: as wide as its column
  std::vector<Picture> pictures;
};

class ReportPage {
 public:
  explicit ReportPage(std::string title, std::string subtitle = "");

  void heading(const std::string& text);
  /// `Words` between backquotes are set as code.
  void text(const std::vector<std::string>& paragraphs);
  void code(const std::string& text);
  void facts(const std::vector<Fact>& facts);
  void table(const ReportTable& table);
  void chart(const Chart& chart);
  /// Charts beside each other, where the page is wide enough.
  void charts(const std::vector<Chart>& charts);
  /// `open`: the numbers are shown, not folded.
  void verdicts(const std::vector<VerdictRow>& rows, bool open);
  void rasters(const Rasters& rasters);
  /// A link that saves the text as a file.
  void download(const std::string& label, const std::string& file, const std::string& text);
  /// Shares of a whole.
  void parts(const std::string& title,
             const std::string& unit,
             int digits,
             const std::vector<Part>& parts);
  void supports(const Supports& supports);
  /// Every option under its name, folded.
  void options(const std::string& title, const Options& options);

  std::string html() const;

 private:
  std::string title_;
  nlohmann::json data_;
};

/// The coordinates of each atom that are not zero.
template <class Scalar>
std::vector<std::vector<Index>> supports_of(const Matrix<Scalar>& atoms) {
  std::vector<std::vector<Index>> supports(static_cast<std::size_t>(atoms.cols()));
  for (Index j = 0; j < atoms.cols(); ++j) {
    for (Index i = 0; i < atoms.rows(); ++i) {
      if (atoms(i, j) != 0) supports[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  return supports;
}

}  // namespace nodl::cli
