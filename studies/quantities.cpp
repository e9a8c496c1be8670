#include "quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nodl/error.h"

namespace nodl::study {
namespace {

using Line = std::vector<std::pair<double, double>>;

/// A curve and the number that is looked at.
struct Selection {
  const CurveResult* curve;
  std::string number;
  double from, to;

  std::vector<const Point*> points() const {
    std::vector<const Point*> list;
    for (const Point& point : curve->points) {
      if (point.value >= from && point.value <= to && point.numbers.contains(number)) {
        list.push_back(&point);
      }
    }
    return list;
  }
  const Sample& at(const Point& point) const { return point.numbers.at(number); }
  std::string where(const Point& point) const {
    std::string text = curve->name();
    if (!curve->panel_name().empty()) text += ", " + curve->panel_name();
    return fmt::format("{}, {} {}", text, curve->study->sweep, point.value);
  }
};

std::vector<Selection> select(const Results& results,
                              const std::string& study,
                              const std::string& preset,
                              const Json& json) {
  std::vector<Selection> list;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const CurveResult* curve : results.find(json.value("study", study),
                                               json.value("preset", preset),
                                               json.value("panel", ""),
                                               json.value("curve", ""))) {
    list.push_back(
        {curve, json.at("number"), json.value("from", -kInfinity), json.value("to", kInfinity)});
  }
  return list;
}

Line line_of(const Selection& selection, const std::string& x) {
  Line line;
  for (const Point* point : selection.points()) {
    line.emplace_back(point->numbers.at(x).mean(), selection.at(*point).mean());
  }
  return line;
}

/// The other curve's number at the place of a point of this one: for each of its seeds where both
/// have as many, so that the interval is of the difference.
Observation compare(const Selection& of,
                    const Point& point,
                    const Selection& against,
                    const std::string& at,
                    bool ratio) {
  Observation observation;
  observation.where = of.where(point);
  const auto combine = [&](double a, double b) { return ratio ? a / b : a - b; };
  if (at == "same size") {
    const double other = interpolate(line_of(against, "alive"), point.numbers.at("alive").mean());
    observation.value = combine(of.at(point).mean(), other);
    observation.half_width = of.at(point).half_width();
    return observation;
  }
  const std::string key = at == "same start" ? "initial" : "sweep";
  observation.value = std::numeric_limits<double>::quiet_NaN();
  for (const Point* other : against.points()) {
    if (other->numbers.at(key).mean() != point.numbers.at(key).mean()) continue;
    const std::vector<double>& a = of.at(point).values;
    const std::vector<double>& b = against.at(*other).values;
    Sample difference;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      difference.values.push_back(combine(a[i], b[i]));
    }
    observation.value = difference.mean();
    observation.half_width = difference.half_width();
  }
  return observation;
}

/// Sweeps pair up panel by panel where both sides have several.
bool belong_together(const Selection& a, const Selection& b) {
  return a.curve->study != b.curve->study || a.curve->study->panels.size() == 1 ||
         a.curve->panel == b.curve->panel;
}

std::vector<Observation> comparisons(const Results& results,
                                     const std::string& study,
                                     const std::string& preset,
                                     const Json& check) {
  std::vector<Observation> list;
  const std::string at = check.value("at", "same start");
  const bool ratio = check.at("quantity") == "ratio";
  const bool panels_given =
      check.at("of").contains("panel") && check.at("against").contains("panel");
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    for (const Selection& against : select(results, study, preset, check.at("against"))) {
      if (!panels_given && !belong_together(of, against)) continue;
      for (const Point* point : of.points()) {
        const Observation one = compare(of, *point, against, at, ratio);
        if (std::isfinite(one.value)) list.push_back(one);
      }
    }
  }
  return list;
}

/// Where a curve needs `number` on fewer atoms: for each point of `against`, the size at which `of`
/// reaches its accuracy, over that point's size.
std::vector<Observation> size_ratios(const Results& results,
                                     const std::string& study,
                                     const std::string& preset,
                                     const Json& check) {
  std::vector<Observation> list;
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    for (const Selection& against : select(results, study, preset, check.at("against"))) {
      if (!belong_together(of, against)) continue;
      Line accuracy_to_size;
      for (const auto& [size, accuracy] : line_of(of, "alive")) {
        accuracy_to_size.emplace_back(accuracy, size);
      }
      for (const Point* point : against.points()) {
        const double size = interpolate(accuracy_to_size, against.at(*point).mean());
        if (!std::isfinite(size)) continue;
        list.push_back({against.where(*point), size / point->numbers.at("alive").mean(), 0, false});
      }
    }
  }
  return list;
}

double spread(const Selection& selection, const std::string& number) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Point* point : selection.points()) {
    low = std::min(low, point->numbers.at(number).mean());
    high = std::max(high, point->numbers.at(number).mean());
  }
  return high - low;
}

Observation loss_from_best(const Selection& selection) {
  double best = -std::numeric_limits<double>::infinity();
  const Point* last = nullptr;
  for (const Point* point : selection.points()) {
    best = std::max(best, selection.at(*point).mean());
    last = point;
  }
  return {selection.where(*last), selection.at(*last).mean() - best, 0, false};
}

}  // namespace

double interpolate(std::vector<std::pair<double, double>> points, double x) {
  std::sort(points.begin(), points.end());
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto& [x0, y0] = points[i];
    const auto& [x1, y1] = points[i + 1];
    if (x < x0 || x > x1) continue;
    return x1 == x0 ? y0 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Observation> observe(const Results& results,
                                 const std::string& study,
                                 const std::string& preset,
                                 const Json& check) {
  const std::string quantity = check.at("quantity");
  if (quantity == "difference" || quantity == "ratio") {
    return comparisons(results, study, preset, check);
  }
  if (quantity == "size ratio") return size_ratios(results, study, preset, check);
  std::vector<Observation> list;
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    if (of.points().empty()) continue;
    if (quantity == "value") {
      for (const Point* point : of.points()) {
        list.push_back({of.where(*point), of.at(*point).mean(), of.at(*point).half_width(), false});
      }
    } else if (quantity == "spread") {
      const double initial = spread(of, "initial");
      if (initial > 0)
        list.push_back({of.curve->name(), spread(of, of.number) / initial, 0, false});
    } else if (quantity == "loss from best") {
      if (of.points().size() > 1) list.push_back(loss_from_best(of));
    } else {
      throw InvalidOptions("there is no quantity called " + quantity);
    }
  }
  return list;
}

}  // namespace nodl::study
