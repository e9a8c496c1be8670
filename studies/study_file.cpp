#include "study_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "nodl/error.h"
#include "study_assets.h"

namespace nodl::study {
namespace {

std::string text_of(const Json& object, const char* key) { return object.value(key, ""); }

Curve read_curve(const Json& json) {
  Curve curve;
  curve.name = json.at("name");
  curve.method = json.at("method");
  curve.scikit_learn = text_of(json, "scikit_learn");
  curve.colour = text_of(json, "colour");
  curve.authors = text_of(json, "authors");
  curve.run = json.value("run", Json::object());
  curve.values = json.value("values", std::vector<double>{});
  curve.presets = json.value("presets", std::vector<std::string>{});
  return curve;
}

std::string figures_text(const std::vector<std::string>& numbers) {
  if (numbers.front() == "ours") return "Ours";
  std::string text = "Fig. ";
  for (const std::string& number : numbers) {
    if (&number != &numbers.front()) text += ", ";
    text += number;
  }
  return text;
}

Study read_study(const Json& json) {
  Study study;
  study.id = json.at("id");
  study.numbers = json.at("figures").get<std::vector<std::string>>();
  study.figures = figures_text(study.numbers);
  study.title = json.at("title");
  study.about = json.value("about", std::vector<std::string>{});
  study.run = json.at("run");
  study.presets = json.at("presets");
  for (const Json& panel : json.value("panels", Json::array({Json{{"name", ""}}}))) {
    study.panels.push_back({panel.at("name"),
                            panel.value("authors", text_of(json, "authors")),
                            panel.value("run", Json::object())});
  }
  for (const Json& curve : json.at("curves")) study.curves.push_back(read_curve(curve));
  study.sweep = json.at("sweep").at("option");
  study.values = json.at("sweep").at("values").get<std::vector<double>>();
  for (const Json& chart : json.at("charts")) {
    study.charts.push_back({chart.at("title"), chart.at("x"), chart.at("y")});
  }
  for (const Json& column : json.value("table", Json::array())) {
    study.table.push_back({column.at("title"), column.value("group", ""), column.at("number")});
  }
  return study;
}

/// Numbers of figures, and the ids of studies that have none.
std::string names_of(const std::vector<Study>& studies) {
  std::string names;
  for (const Study& study : studies) {
    for (const std::string& number : study.numbers) {
      names += (names.empty() ? "" : ", ") + (number == "ours" ? study.id : number);
    }
  }
  return names;
}

}  // namespace

bool Study::needs_scikit_learn() const {
  return std::any_of(
      curves.begin(), curves.end(), [](const Curve& c) { return !c.scikit_learn.empty(); });
}

Json merged(Json base, const Json& patch) {
  base.merge_patch(patch);
  return base;
}

std::vector<Study> all_studies(bool quick) {
  std::vector<Study> studies;
  for (Json json : Json::parse(assets::kStudies)) {
    const Json small = json.at("quick");
    if (quick) json.merge_patch(small);
    studies.push_back(read_study(json));
    // The authors' numbers are of whole streams.
    if (quick && small.contains("run")) {
      for (Panel& panel : studies.back().panels) panel.authors.clear();
    }
  }
  return studies;
}

std::vector<Study> choose(std::vector<Study> studies, const std::vector<std::string>& figures) {
  if (figures.empty() || std::count(figures.begin(), figures.end(), "all") > 0) return studies;
  const auto is_called = [](const Study& study, const std::string& name) {
    return study.id == name || std::count(study.numbers.begin(), study.numbers.end(), name) > 0;
  };
  for (const std::string& figure : figures) {
    if (std::none_of(studies.begin(), studies.end(), [&](const Study& study) {
          return is_called(study, figure);
        })) {
      throw InvalidOptions(
          fmt::format("there is no figure {}; there are {} and all", figure, names_of(studies)));
    }
  }
  std::erase_if(studies, [&](const Study& study) {
    return std::none_of(figures.begin(), figures.end(), [&](const std::string& figure) {
      return is_called(study, figure);
    });
  });
  return studies;
}

}  // namespace nodl::study
