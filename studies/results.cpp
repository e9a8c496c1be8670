#include "results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "nodl/io/model_file.h"

namespace nodl::study {
namespace {

/// 97.5 % quantile of Student's t with n - 1 degrees of freedom.
double student(std::size_t n) {
  constexpr std::array<double, 11> kTable = {
      0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  if (n < kTable.size()) return kTable[n];
  const double df = static_cast<double>(n - 1);
  return 1.96 + 2.372 / df + 2.82 / (df * df);  // Cornish and Fisher; within 0.003 from here on
}

CurveResult& curve_of(std::vector<CurveResult>& curves, const Study& study, const PlannedRun& run) {
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const CurveResult& c) {
    return c.study == &study && c.preset == run.preset && c.panel == run.panel &&
           c.curve == run.curve;
  });
  if (found != curves.end()) return *found;
  return curves.emplace_back(
      CurveResult{&study, run.preset, run.panel, run.curve, run.options, {}});
}

Json to_json(const Sample& sample) {
  Json json = {{"mean", sample.mean()}};
  if (sample.values.size() > 1) {
    json["half_width"] = sample.half_width();
    json["values"] = sample.values;
  }
  return json;
}

}  // namespace

double Sample::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Sample::deviation() const {
  if (values.size() < 2) return 0;
  const double centre = mean();
  double square = 0;
  for (const double value : values) square += (value - centre) * (value - centre);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

double Sample::half_width() const {
  if (values.size() < 2) return 0;
  return student(values.size()) * deviation() / std::sqrt(static_cast<double>(values.size()));
}

Results::Results(std::vector<Study> studies,
                 const std::vector<PlannedRun>& runs,
                 const std::vector<std::string>& keys,
                 const std::map<std::string, RunResult>& by_key)
    : studies_(std::move(studies)) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const PlannedRun& run = runs[i];
    const auto study = std::find_if(
        studies_.begin(), studies_.end(), [&](const Study& s) { return s.id == run.study; });
    CurveResult& curve = curve_of(curves_, *study, run);
    if (curve.points.empty() || curve.points.back().value != run.value) {
      curve.points.push_back({run.value, {}, Json::object()});
    }
    const RunResult& result = by_key.at(keys[i]);
    for (const auto& [name, number] : result.numbers) {
      curve.points.back().numbers[name].values.push_back(number);
    }
    // The same run may serve two studies that give it two places on two sweeps.
    curve.points.back().numbers["sweep"].values.assign(1, run.value);
    if (run.seed == 1) curve.points.back().pictures = result.pictures;
  }
}

std::vector<const CurveResult*> Results::find(const std::string& study,
                                              const std::string& preset,
                                              const std::string& panel,
                                              const std::string& curve) const {
  std::vector<const CurveResult*> found;
  for (const CurveResult& c : curves_) {
    if (c.study->id == study && c.preset == preset && (panel.empty() || c.panel_name() == panel) &&
        (curve.empty() || c.name() == curve)) {
      found.push_back(&c);
    }
  }
  return found;
}

Json Results::to_json() const {
  Json list = Json::array();
  for (const CurveResult& curve : curves_) {
    Json points = Json::array();
    for (const Point& point : curve.points) {
      Json numbers = Json::object();
      for (const auto& [name, sample] : point.numbers) numbers[name] = study::to_json(sample);
      points.push_back({{curve.study->sweep, point.value}, {"numbers", numbers}});
    }
    list.push_back({{"study", curve.study->id},
                    {"figures", curve.study->numbers},
                    {"preset", curve.preset},
                    {"panel", curve.panel_name()},
                    {"curve", curve.name()},
                    {"options", Json::parse(io::options_to_json(curve.options))},
                    {"points", points}});
  }
  return {{"curves", list}};
}

}  // namespace nodl::study
