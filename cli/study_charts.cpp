#include "study_charts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "studies/authors.h"

namespace nodl::cli {
namespace {

using study::CurveResult;
using study::Results;
using study::Study;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Colour colour_named(const std::string& name) {
  static const std::map<std::string, Colour> kColours = {{"blue", Colour::Blue},
                                                         {"orange", Colour::Orange},
                                                         {"green", Colour::Green},
                                                         {"purple", Colour::Purple},
                                                         {"grey", Colour::Grey},
                                                         {"red", Colour::Red},
                                                         {"teal", Colour::Teal}};
  return kColours.at(name);
}

/// "pearson.oxford" as an axis: "Pearson"
std::string axis_name(const std::string& number) {
  static const std::map<std::string, std::string> kNames = {
      {"alive", "atoms at the end"},
      {"initial", "atoms at the start"},
      {"part", "parts learned"},
      {"features", "features"},
      {"cpu_seconds", "seconds"},
      {"dead", "dead atoms"},
      {"dictionary_numbers", "numbers in the dictionary"},
      {"pearson", "Pearson"},
      {"spearman", "Spearman"},
      {"mse", "mean squared error"},
      {"error", "error rate"}};
  const auto found = kNames.find(number.substr(0, number.find('.')));
  return found == kNames.end() ? number : found->second;
}

/// Places on the x axis and what is there.
struct Marks {
  struct Mark {
    double y, low, high;
  };
  std::map<double, Mark> at;
};

/// The course of a number over the parts of the stream, of the curve's first point.
Marks course_of(const CurveResult& curve, const std::string& number) {
  Marks marks;
  if (curve.points.empty()) return marks;
  for (int part = 1;; ++part) {
    const auto found = curve.points.front().numbers.find(fmt::format("{}.after{}", number, part));
    if (found == curve.points.front().numbers.end()) return marks;
    const double mean = found->second.mean();
    const double half = found->second.half_width();
    marks.at[part] = {mean, mean - half, mean + half};
  }
}

/// Error rates by the number of features, of the points that were classified.
Marks errors_of(const CurveResult& curve, const std::string& number) {
  Marks marks;
  const std::string start = number + ".";
  for (const study::Point& point : curve.points) {
    for (const auto& [name, sample] : point.numbers) {
      if (!name.starts_with(start)) continue;
      const double mean = sample.mean();
      const double half = sample.half_width();
      marks.at[std::stod(name.substr(start.size()))] = {mean, mean - half, mean + half};
    }
  }
  return marks;
}

Marks marks_of(const CurveResult& curve, const study::ChartSpec& spec) {
  if (spec.x == "part") return course_of(curve, spec.y);
  if (spec.x == "features") return errors_of(curve, spec.y);
  Marks marks;
  for (const study::Point& point : curve.points) {
    const auto x = point.numbers.find(spec.x);
    const auto y = point.numbers.find(spec.y);
    if (x == point.numbers.end() || y == point.numbers.end()) continue;
    const double mean = y->second.mean();
    const double half = y->second.half_width();
    marks.at[x->second.mean()] = {mean, mean - half, mean + half};
  }
  return marks;
}

Marks marks_of(const study::AuthorsCurve& curve, const study::ChartSpec& spec) {
  Marks marks;
  const auto x = curve.find(spec.x);
  const auto y = curve.find(spec.y);
  if (x == curve.end() || y == curve.end()) return marks;
  for (std::size_t i = 0; i < std::min(x->second.size(), y->second.size()); ++i) {
    marks.at[x->second[i]] = {y->second[i], y->second[i], y->second[i]};
  }
  return marks;
}

/// A line of the chart before all lines share their places.
struct Draft {
  Series series;
  Marks marks;
};

std::vector<Draft> drafts_of(const Results& results,
                             const Study& study,
                             const std::string& preset,
                             std::size_t panel,
                             const study::ChartSpec& spec) {
  std::vector<Draft> drafts;
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study || curve.preset != preset || curve.panel != panel) continue;
    const Colour colour = colour_named(study.curves[curve.curve].colour);
    Draft draft{{curve.name(), {}, colour, Series::Kind::Dots}, marks_of(curve, spec)};
    if (!draft.marks.at.empty()) drafts.push_back(std::move(draft));
    const study::AuthorsCurve* theirs = preset == "released" ? stored_curve(curve) : nullptr;
    if (theirs == nullptr) continue;
    Draft stored{{"○", {}, colour, Series::Kind::Points}, marks_of(*theirs, spec)};
    if (!stored.marks.at.empty()) drafts.push_back(std::move(stored));
  }
  return drafts;
}

/// `places` are those of all charts that stand beside each other: they share their x axis.
void put_together(std::vector<Draft> drafts, const std::set<double>& places, Chart& chart) {
  chart.x.assign(places.begin(), places.end());
  for (Draft& draft : drafts) {
    bool spread = false;
    for (const double x : chart.x) {
      const auto found = draft.marks.at.find(x);
      const bool there = found != draft.marks.at.end();
      draft.series.values.push_back(there ? found->second.y : kNone);
      draft.series.low.push_back(there ? found->second.low : kNone);
      draft.series.high.push_back(there ? found->second.high : kNone);
      spread = spread || (there && found->second.low < found->second.high);
    }
    if (!spread) {
      draft.series.low.clear();
      draft.series.high.clear();
    }
    chart.series.push_back(std::move(draft.series));
  }
}

/// One scale for all of them, so that heights can be compared.
void share_scale(std::vector<Chart>& charts) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Chart& chart : charts) {
    for (const Series& series : chart.series) {
      for (const std::vector<double>* values : {&series.values, &series.low, &series.high}) {
        for (const double value : *values) {
          if (std::isnan(value)) continue;
          low = std::min(low, value);
          high = std::max(high, value);
        }
      }
    }
  }
  const double margin = high > low ? 0.06 * (high - low) : 0.05 * std::max(1.0, std::abs(high));
  for (Chart& chart : charts) {
    chart.y_min = low >= 0 && low < 0.4 * high ? 0 : low - margin;
    chart.y_max = high + margin;
  }
}

void add_supports(ReportPage& page, const Results& results, const Study& study) {
  for (const std::string preset : {"paper", "released"}) {
    Supports supports;
    supports.title = "Which coordinates the atoms use, preset " + preset;
    supports.caption = "A column is an atom, oldest to the left; inked where it is not zero.";
    Index dimension = 0;
    for (const CurveResult& curve : results.curves()) {
      if (curve.study != &study || curve.preset != preset) continue;
      for (const study::Point& point : curve.points) {
        if (!point.pictures.contains("supports")) continue;
        const auto& picture = point.pictures.at("supports");
        dimension = picture.at("dimension");
        auto atoms = picture.at("atoms").get<std::vector<std::vector<Index>>>();
        const std::string below =
            fmt::format("{} atoms, {} at the start", atoms.size(), point.value);
        supports.pictures.push_back({curve.name(),
                                     below,
                                     std::move(atoms),
                                     colour_named(study.curves[curve.curve].colour)});
      }
    }
    if (supports.pictures.empty()) continue;
    if (study.source() == "synthetic") {
      supports.sides = {{"first domain", dimension / 2}, {"second", dimension / 2}};
    } else {
      supports.sides = {{"pixels", dimension}};
    }
    page.supports(supports);
  }
}

/// Fig. 4(c, d), 7: the samples themselves.
void add_data(ReportPage& page, const Results& results, const Study& study) {
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study) continue;
    for (const study::Point& point : curve.points) {
      if (!point.pictures.contains("data")) continue;
      const auto& data = point.pictures.at("data");
      Supports supports;
      supports.title = "The data";
      supports.caption = "A column is a sample; inked where it is not zero.";
      supports.sides = {{"", data.at("dimension")}};
      for (const auto& set : data.at("sets")) {
        auto samples = set.at("samples").get<std::vector<std::vector<Index>>>();
        const std::string below = fmt::format("{} samples", samples.size());
        supports.pictures.push_back({set.at("name"), below, std::move(samples), Colour::Grey});
      }
      page.supports(supports);
      return;  // the same for all curves
    }
  }
}

/// Fig. 1: what the images look like.
void add_examples(ReportPage& page, const Results& results, const Study& study) {
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study) continue;
    for (const study::Point& point : curve.points) {
      if (!point.pictures.contains("examples")) continue;
      const auto& examples = point.pictures.at("examples");
      Rasters rasters;
      rasters.title = "Images of the three sets";
      rasters.columns = examples.at("columns");
      for (const auto& picture : examples.at("list")) {
        rasters.pictures.push_back({picture.at("set"), picture.at("raster")});
      }
      page.rasters(rasters);
      return;
    }
  }
}

void add_memories(ReportPage& page, const Results& results, const Study& study) {
  for (const std::string preset : {"paper", "released"}) {
    Rasters rasters;
    rasters.title = "The memory A, preset " + preset;
    rasters.caption =
        "Size of the entries a_jk (darker: larger, square root scale), oldest atoms first.";
    for (const CurveResult& curve : results.curves()) {
      if (curve.study != &study || curve.preset != preset) continue;
      for (const study::Point& point : curve.points) {
        if (!point.pictures.contains("memory")) continue;
        const auto& picture = point.pictures.at("memory");
        std::string title = curve.name();
        if (!curve.panel_name().empty()) title += ", " + curve.panel_name();
        rasters.pictures.push_back({fmt::format("{}: {} atoms, {} of them from the start",
                                                title,
                                                picture.at("atoms").get<Index>(),
                                                picture.at("initial").get<Index>()),
                                    picture});
      }
    }
    if (!rasters.pictures.empty()) page.rasters(rasters);
  }
}

void add_reconstructions(ReportPage& page, const Results& results, const Study& study) {
  for (const std::string preset : {"paper", "released"}) {
    // Columns: the original, then each curve.
    std::vector<std::pair<std::string, nlohmann::json>> columns;
    for (const CurveResult& curve : results.curves()) {
      if (curve.study != &study || curve.preset != preset) continue;
      for (const study::Point& point : curve.points) {
        if (!point.pictures.contains("reconstructions")) continue;
        columns.emplace_back(
            fmt::format("{}, {:.0f} atoms", curve.name(), point.numbers.at("alive").mean()),
            point.pictures.at("reconstructions"));
      }
    }
    if (columns.empty()) continue;
    Rasters rasters;
    rasters.title = "Test images and their reconstructions, preset " + preset;
    rasters.columns = static_cast<int>(columns.size()) + 1;
    rasters.width = 150;
    for (std::size_t i = 0; i < columns.front().second.size(); ++i) {
      rasters.pictures.push_back({"original", columns.front().second[i].at("original")});
      for (const auto& [name, list] : columns) {
        rasters.pictures.push_back({name, list[i].at("reconstructed")});
      }
    }
    page.rasters(rasters);
  }
}

}  // namespace

std::vector<Chart> charts_of(const Results& results,
                             const Study& study,
                             std::size_t panel,
                             const study::ChartSpec& spec) {
  std::vector<std::pair<std::string, std::vector<Draft>>> by_preset;
  std::set<double> places;
  for (const std::string preset : {"paper", "released"}) {
    by_preset.emplace_back(preset, drafts_of(results, study, preset, panel, spec));
    for (const Draft& draft : by_preset.back().second) {
      for (const auto& [x, mark] : draft.marks.at) places.insert(x);
    }
  }
  std::vector<Chart> charts;
  for (auto& [preset, drafts] : by_preset) {
    if (drafts.empty()) continue;
    Chart chart;
    put_together(std::move(drafts), places, chart);
    const std::string& panel_name = study.panels[panel].name;
    chart.title = (panel_name.empty() ? "" : panel_name + ". ") + spec.title;
    chart.caption = "Preset `" + preset + "`.";
    chart.x_name = axis_name(spec.x);
    chart.x_label = axis_name(spec.x);
    chart.y_label = axis_name(spec.y);
    chart.digits = spec.y.starts_with("mse") ? 4 : spec.y == "alive" ? 0 : 3;
    chart.height = 240;
    chart.group = fmt::format("{} {} {}", study.id, panel, spec.y);
    charts.push_back(std::move(chart));
  }
  share_scale(charts);
  return charts;
}

void add_pictures(ReportPage& page, const Results& results, const Study& study) {
  add_examples(page, results, study);
  add_data(page, results, study);
  add_supports(page, results, study);
  add_memories(page, results, study);
  add_reconstructions(page, results, study);
}

}  // namespace nodl::cli
