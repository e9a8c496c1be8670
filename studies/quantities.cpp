#include "quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
  std::string name() const {
    return curve->name() + (curve->panel_name().empty() ? "" : ", " + curve->panel_name());
  }
  std::string where(const Point& point) const {
    return fmt::format("{}, {} {}", name(), curve->study->sweep, point.value);
  }
  /// Seeds for which every point has the number.
  std::size_t seeds() const {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Point* point : points()) least = std::min(least, at(*point).values.size());
    return least;
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

double of_seed(const Point& point, const std::string& number, std::size_t seed) {
  return point.numbers.at(number).values.at(seed);
}

Line line_of(const Selection& selection, const std::string& x, std::size_t seed) {
  Line line;
  for (const Point* point : selection.points()) {
    line.emplace_back(of_seed(*point, x, seed), of_seed(*point, selection.number, seed));
  }
  return line;
}

/// Each seed gives a value, so that the interval is that of the quantity itself, with the scatter
/// of all curves that are in it. One seed without a value makes the mean NaN.
template <class Value>
Observation over_seeds(const std::string& where, std::size_t seeds, const Value& value) {
  Sample sample;
  for (std::size_t seed = 0; seed < seeds; ++seed) sample.values.push_back(value(seed));
  return {where, sample.mean(), sample.half_width(), false};
}

/// What a check found, gathered panel by panel.
class Findings {
 public:
  void add(const Selection& selection, const Observation& one) {
    const std::string& panel = selection.curve->panel_name();
    bool& tested = tested_[panel.empty() ? selection.name() : panel];
    if (std::isfinite(one.value)) {
      found_.observations.push_back(one);
      tested = true;
    } else {
      found_.not_comparable.push_back(one.where);
    }
  }
  CheckResult result() && {
    for (const auto& [panel, tested] : tested_) {
      if (!tested) found_.untested.push_back(panel);
    }
    return std::move(found_);
  }

 private:
  CheckResult found_;
  std::map<std::string, bool> tested_;
};

/// A point beside the other curve at the same place; NaN where that has nothing there.
Observation compare(const Selection& of,
                    const Point& point,
                    const Selection& against,
                    const std::string& at,
                    bool ratio) {
  const std::vector<double>& values = of.at(point).values;
  const auto combine = [&](double a, double b) { return ratio ? a / b : a - b; };
  if (at == "same size") {
    const std::size_t seeds = std::min(values.size(), against.seeds());
    return over_seeds(of.where(point), seeds, [&](std::size_t seed) {
      const double size = of_seed(point, "alive", seed);
      return combine(values[seed], interpolate(line_of(against, "alive", seed), size));
    });
  }
  const std::string key = at == "same start" ? "initial" : "sweep";
  for (const Point* other : against.points()) {
    if (other->numbers.at(key).mean() != point.numbers.at(key).mean()) continue;
    const std::vector<double>& others = against.at(*other).values;
    return over_seeds(of.where(point),
                      std::min(values.size(), others.size()),
                      [&](std::size_t seed) { return combine(values[seed], others[seed]); });
  }
  return {of.where(point), std::numeric_limits<double>::quiet_NaN(), 0, false};
}

/// Sweeps pair up panel by panel where both sides have several.
bool belong_together(const Selection& a, const Selection& b) {
  return a.curve->study != b.curve->study || a.curve->study->panels.size() == 1 ||
         a.curve->panel == b.curve->panel;
}

CheckResult comparisons(const Results& results,
                        const std::string& study,
                        const std::string& preset,
                        const Json& check) {
  Findings findings;
  const std::string at = check.value("at", "same start");
  const bool ratio = check.at("quantity") == "ratio";
  const bool panels_given =
      check.at("of").contains("panel") && check.at("against").contains("panel");
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    for (const Selection& against : select(results, study, preset, check.at("against"))) {
      if (!panels_given && !belong_together(of, against)) continue;
      for (const Point* point : of.points()) {
        findings.add(of, compare(of, *point, against, at, ratio));
      }
    }
  }
  return std::move(findings).result();
}

/// Where a curve needs `number` on fewer atoms: for each point of `against`, the size at which `of`
/// reaches its accuracy, over that point's size.
CheckResult size_ratios(const Results& results,
                        const std::string& study,
                        const std::string& preset,
                        const Json& check) {
  Findings findings;
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    for (const Selection& against : select(results, study, preset, check.at("against"))) {
      if (!belong_together(of, against)) continue;
      const auto size_over_size = [&](const Point& point, std::size_t seed) {
        Line accuracy_to_size;
        for (const auto& [size, accuracy] : line_of(of, "alive", seed)) {
          accuracy_to_size.emplace_back(accuracy, size);
        }
        return interpolate(accuracy_to_size, of_seed(point, against.number, seed)) /
               of_seed(point, "alive", seed);
      };
      for (const Point* point : against.points()) {
        findings.add(against,
                     over_seeds(against.where(*point),
                                std::min(of.seeds(), against.seeds()),
                                [&](std::size_t seed) { return size_over_size(*point, seed); }));
      }
    }
  }
  return std::move(findings).result();
}

double range(const Selection& selection, const std::string& number, std::size_t seed) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Point* point : selection.points()) {
    low = std::min(low, of_seed(*point, number, seed));
    high = std::max(high, of_seed(*point, number, seed));
  }
  return high - low;
}

Observation spread(const Selection& selection) {
  return over_seeds(selection.name(), selection.seeds(), [&](std::size_t seed) {
    return range(selection, selection.number, seed) / range(selection, "initial", seed);
  });
}

Observation loss_from_best(const Selection& selection) {
  const std::vector<const Point*> points = selection.points();
  return over_seeds(selection.where(*points.back()), selection.seeds(), [&](std::size_t seed) {
    double best = -std::numeric_limits<double>::infinity();
    for (const Point* point : points)
      best = std::max(best, of_seed(*point, selection.number, seed));
    return of_seed(*points.back(), selection.number, seed) - best;
  });
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

CheckResult observe(const Results& results,
                    const std::string& study,
                    const std::string& preset,
                    const Json& check) {
  const std::string quantity = check.at("quantity");
  if (quantity == "difference" || quantity == "ratio") {
    return comparisons(results, study, preset, check);
  }
  if (quantity == "size ratio") return size_ratios(results, study, preset, check);
  Findings findings;
  for (const Selection& of : select(results, study, preset, check.at("of"))) {
    const std::vector<const Point*> points = of.points();
    if (quantity == "value") {
      for (const Point* point : points) {
        findings.add(of, {of.where(*point), of.at(*point).mean(), of.at(*point).half_width()});
      }
    } else if (quantity == "spread") {
      if (points.size() > 1) findings.add(of, spread(of));
    } else if (quantity == "loss from best") {
      if (points.size() > 1) findings.add(of, loss_from_best(of));
    } else {
      throw InvalidOptions("there is no quantity called " + quantity);
    }
  }
  return std::move(findings).result();
}

}  // namespace nodl::study
