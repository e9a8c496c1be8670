#include "report_page.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <string_view>
#include <type_traits>

#include "nodl/version.h"
#include "report_assets.h"

namespace nodl::cli {
namespace {

using nlohmann::json;

// Six digits are more than a chart shows, and keep the page small.
json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0 || std::floor(value) == value) return value;
  const double scale = std::pow(10.0, 6 - std::ceil(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

json rounded(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

int number_of(Colour colour) { return static_cast<int>(colour); }

const char* name_of(Series::Kind kind) {
  switch (kind) {
    case Series::Kind::Line:
      return "line";
    case Series::Kind::Steps:
      return "steps";
    case Series::Kind::Bars:
      return "bars";
    case Series::Kind::Points:
      return "points";
    case Series::Kind::Dots:
      return "dots";
  }
  return "line";
}

const char* name_of(ReportTable::Tone tone) {
  switch (tone) {
    case ReportTable::Tone::Plain:
      return "";
    case ReportTable::Tone::Good:
      return "good";
    case ReportTable::Tone::Bad:
      return "bad";
  }
  return "";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JSON that may stand in a <script> element: no "<" can end it.
std::string script_safe(const json& data) {
  const std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

// Puts values in the place of {{names}}, in one pass: what is put in is not looked at again.
std::string filled(std::string_view text,
                   const std::map<std::string_view, std::string_view>& values) {
  std::string result;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
    if (close == text.npos) return result.append(text);
    result.append(text.substr(0, open));
    result.append(values.at(text.substr(open + 2, close - open - 2)));
    text.remove_prefix(close + 2);
  }
}

json chart_block(const Chart& chart) {
  json series = json::array();
  bool mirrored = false;
  for (const Series& s : chart.series) {
    series.push_back({{"name", s.name},
                      {"values", rounded(s.values)},
                      {"colour", number_of(s.colour)},
                      {"kind", name_of(s.kind)},
                      {"below", s.below},
                      {"dash", s.dashed}});
    if (!s.low.empty()) {
      series.back()["low"] = rounded(s.low);
      series.back()["high"] = rounded(s.high);
    }
    mirrored = mirrored || s.below;
  }
  json y = {{"label", chart.y_label}};
  if (chart.y_min) y["min"] = *chart.y_min;
  if (chart.y_max) y["max"] = *chart.y_max;
  if (chart.digits) y["digits"] = *chart.digits;
  json block = {
      {"type", "chart"},
      {"title", chart.title},
      {"caption", chart.caption},
      {"x", {{"name", chart.x_name}, {"label", chart.x_label}, {"values", rounded(chart.x)}}},
      {"y", std::move(y)},
      {"series", std::move(series)},
      {"stacked", chart.stacked},
      {"mirrored", mirrored},
      {"height", chart.height}};
  for (const Band& band : chart.bands) {
    block["bands"].push_back(
        {{"from", band.from}, {"to", band.to}, {"label", band.label}, {"shade", band.shaded}});
  }
  if (!chart.group.empty()) block["group"] = chart.group;
  return block;
}

}  // namespace

ReportPage::ReportPage(std::string title, std::string subtitle) : title_(std::move(title)) {
  data_ = {{"title", title_},
           {"subtitle", std::move(subtitle)},
           {"footer", fmt::format("Made by nodl {}.", NODL_VERSION)},
           {"blocks", json::array()}};
}

void ReportPage::heading(const std::string& text) {
  data_["blocks"].push_back({{"type", "heading"}, {"text", text}});
}

void ReportPage::text(const std::vector<std::string>& paragraphs) {
  data_["blocks"].push_back({{"type", "text"}, {"paragraphs", paragraphs}});
}

void ReportPage::code(const std::string& text) {
  data_["blocks"].push_back({{"type", "code"}, {"text", text}});
}

void ReportPage::facts(const std::vector<Fact>& facts) {
  json list = json::array();
  for (const Fact& fact : facts) {
    json entry = {{"name", fact.name}, {"value", fact.value}};
    if (fact.digits) entry["digits"] = *fact.digits;
    if (!fact.note.empty()) entry["note"] = fact.note;
    list.push_back(std::move(entry));
  }
  data_["blocks"].push_back({{"type", "facts"}, {"facts", std::move(list)}});
}

void ReportPage::table(const ReportTable& table) {
  json columns = json::array();
  for (const ReportTable::Column& column : table.columns) {
    json entry = {{"name", column.name}};
    if (!column.group.empty()) entry["group"] = column.group;
    if (column.digits) entry["digits"] = *column.digits;
    columns.push_back(std::move(entry));
  }
  json rows = json::array();
  for (const ReportTable::Row& row : table.rows) {
    json entry = {{"cells", row.cells}};
    for (const ReportTable::Tone tone : row.tones) entry["tones"].push_back(name_of(tone));
    if (row.colour) entry["colour"] = number_of(*row.colour);
    if (!row.note.empty()) entry["note"] = row.note;
    rows.push_back(std::move(entry));
  }
  data_["blocks"].push_back(
      {{"type", "table"}, {"columns", std::move(columns)}, {"rows", std::move(rows)}});
}

void ReportPage::chart(const Chart& chart) { data_["blocks"].push_back(chart_block(chart)); }

void ReportPage::charts(const std::vector<Chart>& charts) {
  json blocks = json::array();
  for (const Chart& chart : charts) blocks.push_back(chart_block(chart));
  data_["blocks"].push_back({{"type", "columns"}, {"blocks", std::move(blocks)}});
}

void ReportPage::verdicts(const std::vector<VerdictRow>& rows, bool open) {
  json list = json::array();
  for (const VerdictRow& row : rows) {
    json outcomes = json::array();
    for (const VerdictRow::Outcome& outcome : row.outcomes) {
      outcomes.push_back({{"name", outcome.name},
                          {"verdict", outcome.verdict},
                          {"tone", outcome.tone},
                          {"numbers", outcome.numbers}});
    }
    list.push_back({{"number", row.number},
                    {"statement", row.statement},
                    {"place", row.place},
                    {"remark", row.remark},
                    {"outcomes", std::move(outcomes)}});
  }
  data_["blocks"].push_back({{"type", "verdicts"}, {"open", open}, {"rows", std::move(list)}});
}

void ReportPage::rasters(const Rasters& rasters) {
  json pictures = json::array();
  for (const Rasters::Picture& picture : rasters.pictures) {
    pictures.push_back({{"title", picture.title}, {"raster", picture.raster}});
  }
  data_["blocks"].push_back({{"type", "rasters"},
                             {"title", rasters.title},
                             {"caption", rasters.caption},
                             {"columns", rasters.columns},
                             {"width", rasters.width},
                             {"pictures", std::move(pictures)}});
}

void ReportPage::download(const std::string& label,
                          const std::string& file,
                          const std::string& text) {
  data_["blocks"].push_back(
      {{"type", "download"}, {"label", label}, {"file", file}, {"text", text}});
}

void ReportPage::parts(const std::string& title,
                       const std::string& unit,
                       int digits,
                       const std::vector<Part>& parts) {
  json list = json::array();
  for (const Part& part : parts) {
    list.push_back(
        {{"name", part.name}, {"value", rounded(part.value)}, {"colour", number_of(part.colour)}});
  }
  data_["blocks"].push_back({{"type", "parts"},
                             {"title", title},
                             {"unit", unit},
                             {"digits", digits},
                             {"parts", std::move(list)}});
}

void ReportPage::supports(const Supports& supports) {
  Index rows = 0;
  json sides = json::array();
  for (const Supports::Side& side : supports.sides) {
    sides.push_back({{"label", side.label}, {"size", side.size}});
    rows += side.size;
  }
  json pictures = json::array();
  for (const Supports::Picture& picture : supports.pictures) {
    json entry = {{"title", picture.title}, {"below", picture.below}, {"atoms", picture.atoms}};
    if (picture.colour) entry["colour"] = number_of(*picture.colour);
    pictures.push_back(std::move(entry));
  }
  data_["blocks"].push_back({{"type", "supports"},
                             {"title", supports.title},
                             {"caption", supports.caption},
                             {"rows", rows},
                             {"sides", std::move(sides)},
                             {"pictures", std::move(pictures)}});
}

void ReportPage::options(const std::string& title, const Options& options) {
  json list = json::array();
  visit_options(options, [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    std::string shown;
    if constexpr (std::is_enum_v<Value>) {
      shown = nodl::name_of(value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      shown = value ? "yes" : "no";
    } else if constexpr (std::is_same_v<Value, std::optional<double>> ||
                         std::is_same_v<Value, std::optional<Index>>) {
      shown = value ? fmt::format("{}", *value) : "–";
    } else {
      shown = fmt::format("{}", value);
    }
    list.push_back({name, shown});
  });
  data_["blocks"].push_back({{"type", "options"}, {"title", title}, {"options", std::move(list)}});
}

std::string ReportPage::html() const {
  const std::string title = escaped(title_);
  const std::string data = script_safe(data_);
  return filled(assets::kPageHtml,
                {{"title", title},
                 {"data", data},
                 {"page.css", assets::kPageCss},
                 {"page.js", assets::kPageJs},
                 {"uplot.css", assets::kUplotCss},
                 {"uplot.js", assets::kUplotJs},
                 {"uplot.license", assets::kUplotLicense}});
}

}  // namespace nodl::cli
