#include "authors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "study_assets.h"

namespace nodl::study {
namespace {

struct Run {
  double initial = 0;
  std::map<std::string, std::pair<double, double>> numbers;  // mean, deviation over seeds
};

struct Figure {
  std::map<std::string, AuthorsCurve> stored;
  std::map<std::string, std::vector<Run>> runs;
};

struct Material {
  std::string source;
  std::map<std::string, Figure> figures;
};

/// null where the authors' code gave no number (the correlation with a zero code).
AuthorsCurve read_curve(const Json& json) {
  AuthorsCurve curve;
  for (const auto& [name, values] : json.items()) {
    for (const Json& value : values) {
      curve[name].push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                            : value.get<double>());
    }
  }
  return curve;
}

Material read_material() {
  const Json json = Json::parse(assets::kAuthorsValues);
  Material material;
  material.source = json.at("source");
  for (const auto& [id, figure] : json.at("figures").items()) {
    Figure& read = material.figures[id];
    const Json stored = figure.value("stored", Json::object());
    for (const auto& [curve, values] : stored.items()) read.stored[curve] = read_curve(values);
    const Json all_runs = figure.value("runs", Json::object());
    for (const auto& [curve, runs] : all_runs.items()) {
      for (const Json& run : runs) {
        read.runs[curve].push_back(
            {run.at("initial"),
             run.at("numbers").get<std::map<std::string, std::pair<double, double>>>()});
      }
    }
  }
  return material;
}

const Material& material() {
  static const Material kMaterial = read_material();
  return kMaterial;
}

const Figure* figure_of(const CurveResult& curve) {
  const auto found = material().figures.find(curve.study->panels[curve.panel].authors);
  return found == material().figures.end() ? nullptr : &found->second;
}

/// Ours and theirs at one initial size.
struct Pair {
  const CurveResult* curve;
  double initial, ours, theirs, deviation;
  bool again;  // an earlier figure shows the same run
};

/// Figure and curve of the authors, initial size, number.
using Seen = std::set<std::tuple<std::string, std::string, double, std::string>>;

double limit_of(const CurveResult& curve, double deviation) {
  return std::max(curve.study->source() == "nlp" ? 0.03 : 0.02, 2 * deviation);
}

std::vector<Pair> pairs_of(const CurveResult& curve, const std::string& number, Seen& seen) {
  std::vector<Pair> pairs;
  const Figure* figure = figure_of(curve);
  if (figure == nullptr || curve.preset != "released") return pairs;
  const std::string& figure_name = curve.study->panels[curve.panel].authors;
  const std::string& curve_name = curve.study->curves[curve.curve].authors;
  const auto runs = figure->runs.find(curve_name);
  if (runs == figure->runs.end()) return pairs;
  for (const Point& point : curve.points) {
    for (const Run& run : runs->second) {
      if (run.initial != point.value || !run.numbers.contains(number)) continue;
      const auto& [mean, deviation] = run.numbers.at(number);
      const Sample& ours = point.numbers.at(number);
      const bool first = seen.insert({figure_name, curve_name, point.value, number}).second;
      pairs.push_back(
          {&curve, point.value, ours.mean(), mean, std::max(deviation, ours.deviation()), !first});
    }
  }
  return pairs;
}

/// Does the better of two methods stay the better one, wherever theirs clearly differ?
void compare_orders(const std::vector<Pair>& pairs, Agreement& row) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      const Pair &a = pairs[i], &b = pairs[j];
      if (a.again && b.again) continue;
      const double limit = limit_of(*a.curve, std::max(a.deviation, b.deviation));
      if (a.initial != b.initial || std::abs(a.theirs - b.theirs) <= limit) continue;
      ++row.orders;
      if ((a.ours > b.ours) == (a.theirs > b.theirs)) ++row.same_orders;
    }
  }
}

}  // namespace

std::string authors_source() { return material().source; }

const AuthorsCurve* stored_curve(const CurveResult& curve) {
  const Figure* figure = figure_of(curve);
  if (figure == nullptr) return nullptr;
  const auto found = figure->stored.find(curve.study->curves[curve.curve].authors);
  return found == figure->stored.end() ? nullptr : &found->second;
}

std::vector<Agreement> agreement(const Results& results) {
  std::vector<Agreement> rows;
  Seen seen;
  for (const Study& study : results.studies()) {
    for (std::size_t panel = 0; panel < study.panels.size(); ++panel) {
      for (const Json& test : study.run.at("stream").at("test")) {
        Agreement row;
        row.study = study.id;
        row.figures = study.figures;
        row.number = "pearson." + test.get<std::string>();
        std::vector<Pair> pairs;
        for (const CurveResult& curve : results.curves()) {
          if (curve.study != &study || curve.panel != panel) continue;
          for (const Pair& pair : pairs_of(curve, row.number, seen)) pairs.push_back(pair);
        }
        double sum = 0;
        for (const Pair& pair : pairs) {
          if (pair.again) continue;
          const double difference = pair.ours - pair.theirs;
          ++row.compared;
          sum += difference;
          if (std::abs(difference) <= limit_of(*pair.curve, pair.deviation)) ++row.within;
          if (std::abs(difference) > std::abs(row.worst)) {
            row.worst = difference;
            row.worst_where = fmt::format("{}, {}", pair.curve->name(), pair.initial);
          }
        }
        compare_orders(pairs, row);
        if (row.compared == 0) continue;
        row.mean = sum / row.compared;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace nodl::study
