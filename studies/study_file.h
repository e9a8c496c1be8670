// Studies as data: figures/*.json say what is run and what is drawn of it; docs/STUDIES.md explains
// the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nodl::study {

using Json = nlohmann::json;

/// Part of a study with curves of its own: one of six orders, one value of a parameter.
struct Panel {
  std::string name;     // may be empty
  std::string authors;  // id of a figure in authors_values.json; may be empty
  Json run;             // what differs in its runs
};

/// Runs that are joined by a line: one method over the values of the sweep.
struct Curve {
  std::string name;
  std::string method;
  std::string scikit_learn;  // name of an estimator that learns instead; may be empty
  std::string colour;
  std::string authors;  // name of the same curve in authors_values.json; may be empty
  Json run;
  std::vector<double> values;        // of the sweep; empty: those of the study
  std::vector<std::string> presets;  // empty: those of the study
};

/// A picture of numbers: one line a curve.
struct ChartSpec {
  std::string title;
  std::string x;  // a number of a run, or `part`: the course over the parts of the stream
  std::string y;
};

/// A column of a study's table: one row a curve.
struct TableColumn {
  std::string title;
  std::string group;  // may be empty
  std::string number;
};

struct Study {
  std::string id;
  std::string figures;               // "Fig. 2, 9"; "Ours"
  std::vector<std::string> numbers;  // of figures, as on the command line
  std::string title;
  std::vector<std::string> about;
  Json run;      // what all runs share: stream, options, products
  Json presets;  // preset -> what differs in its runs
  std::vector<Panel> panels;
  std::vector<Curve> curves;
  std::string sweep;  // the option that varies along a curve
  std::vector<double> values;
  std::vector<ChartSpec> charts;
  std::vector<TableColumn> table;  // empty: no table

  /// Whether a curve is of another library that Python runs.
  bool needs_scikit_learn() const;
  /// images, nlp or synthetic
  std::string source() const { return run.at("stream").at("source"); }
};

/// All studies, in the order of the page. `quick`: the small version of each.
std::vector<Study> all_studies(bool quick);

/// Those of the figures, by number or by id; none given or `all`: every one. Throws InvalidOptions
/// for a figure that no study has.
std::vector<Study> choose(std::vector<Study> studies, const std::vector<std::string>& figures);

/// RFC 7386: objects are merged, everything else is replaced.
Json merged(Json base, const Json& patch);

}  // namespace nodl::study
