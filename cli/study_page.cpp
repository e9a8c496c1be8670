#include "study_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report_page.h"
#include "studies/authors.h"
#include "study_charts.h"

namespace nodl::cli {
namespace {

using study::ClaimResult;
using study::CurveResult;
using study::Results;
using study::Study;
using study::Verdict;

std::string tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
      return "good";
    case Verdict::HoldsInPart:
      return "part";
    case Verdict::DoesNotHold:
      return "bad";
    case Verdict::NotTested:
      return "none";
  }
  return "none";
}

/// Claims with the outcomes of both presets, numbered; those that nothing was run for are left out.
struct NumberedClaims {
  std::vector<VerdictRow> rows;
  std::vector<std::string> studies;  // of each row

  std::vector<VerdictRow> of(const std::string& study) const {
    std::vector<VerdictRow> some;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (studies[i] == study) some.push_back(rows[i]);
    }
    return some;
  }
};

NumberedClaims numbered(const std::vector<ClaimResult>& claims) {
  NumberedClaims list;
  std::string last;
  for (const ClaimResult& claim : claims) {
    if (claim.verdict == Verdict::NotTested) continue;
    if (claim.id != last) {
      last = claim.id;
      const int number = static_cast<int>(list.rows.size()) + 1;
      list.rows.push_back({number, claim.statement, claim.place, claim.remark, {}});
      list.studies.push_back(claim.study);
    }
    list.rows.back().outcomes.push_back(
        {claim.preset, name_of(claim.verdict), tone_of(claim.verdict), claim.numbers()});
  }
  return list;
}

bool has_preset(const StudySetting& setting, const char* preset) {
  return std::count(setting.presets.begin(), setting.presets.end(), preset) > 0;
}

std::string presets_text(const StudySetting& setting) {
  const std::string paper = "preset `paper`, Algorithm 1 as printed with true LASSO codes";
  const std::string released =
      "preset `released`, which does what the authors' published code does";
  const std::string marks =
      " Hollow marks (○) in the charts of `released` are values that the authors stored with "
      "their code.";
  if (!has_preset(setting, "released")) return "Everything is run with " + paper + ".";
  if (!has_preset(setting, "paper")) return "Everything is run with " + released + "." + marks;
  return "Everything is run twice: with " + paper + ", and with " + released + "." + marks;
}

void add_summary(ReportPage& page,
                 const Results& results,
                 const std::vector<ClaimResult>& claims,
                 const StudySetting& setting) {
  const std::string preset = has_preset(setting, "paper") ? "paper" : setting.presets.front();
  const auto count = [&](Verdict verdict) {
    return std::count_if(claims.begin(), claims.end(), [&](const ClaimResult& claim) {
      return claim.preset == preset && claim.verdict == verdict;
    });
  };
  page.facts({{"Claims that hold", count(Verdict::Holds), {}, "preset " + preset},
              {"In part", count(Verdict::HoldsInPart), {}, ""},
              {"Do not hold", count(Verdict::DoesNotHold), {}, ""},
              {"Curves", results.curves().size(), {}, ""},
              {"Seeds", setting.seeds, {}, setting.seeds > 1 ? "shaded: 95 % intervals" : ""}});
  if (setting.quick) {
    page.text(
        {"This is the quick version: short streams, few sizes, few test samples. It shows that "
         "everything works; for curves and verdicts of the paper's settings run without "
         "`--quick`."});
  }
  page.text({presets_text(setting)});
  for (const std::string& line : setting.left_out) page.text({"Left out: " + line});
}

void add_verdicts(ReportPage& page, const NumberedClaims& claims) {
  if (claims.rows.empty()) return;
  page.heading("The paper's claims");
  page.text(
      {"Each claim is a quantity with a margin that was fixed before the runs. It holds if all "
       "values agree, in part if at least half of them do; with several seeds, values whose 95 % "
       "interval contains the bound decide nothing. A point where the other curve has nothing (no "
       "run that large, say) is not comparable; where a panel has no other points, the claim holds "
       "in part at most. The verdicts are computed, none is written by hand."});
  page.verdicts(claims.rows, false);
}

void add_agreement(ReportPage& page, const Results& results) {
  const std::vector<study::Agreement> rows = study::agreement(results);
  if (rows.empty()) return;
  page.heading("How near preset released comes to the authors' code");
  page.text(
      {"Pearson on test samples beside runs of the authors' code on the same data. Within: "
       "0.02 (words: 0.03) or two seed deviations. Order: of all pairs of methods that differ "
       "by more than that in the authors' runs, those where ours differ the same way. A run that "
       "several figures show counts once. "
       "Source: " +
       study::authors_source() + "."});
  ReportTable table;
  table.columns = {{"", "", {}},
                   {"values", "", {}},
                   {"within", "", {}},
                   {"mean", "ours minus theirs", 3},
                   {"worst", "ours minus theirs", 3},
                   {"same order", "", {}}};
  int compared = 0, within = 0, orders = 0, same_orders = 0;
  for (const study::Agreement& row : rows) {
    compared += row.compared;
    within += row.within;
    orders += row.orders;
    same_orders += row.same_orders;
    table.rows.push_back({{row.figures + " " + row.number,
                           row.compared,
                           row.within,
                           row.mean,
                           row.worst,
                           fmt::format("{} of {}", row.same_orders, row.orders)},
                          {},
                          {},
                          "worst at " + row.worst_where});
  }
  const nlohmann::json none;
  table.rows.push_back(
      {{"all", compared, within, none, none, fmt::format("{} of {}", same_orders, orders)},
       {},
       {},
       ""});
  page.table(table);
}

/// One row a curve, for studies whose results are not a line over a sweep.
void add_table(ReportPage& page, const Results& results, const Study& study) {
  if (study.table.empty()) return;
  ReportTable table;
  table.columns = {{"", "", {}}};
  for (const study::TableColumn& column : study.table) {
    table.columns.push_back({column.title, column.group, 3});
  }
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study) continue;
    for (const study::Point& point : curve.points) {
      ReportTable::Row row;
      row.cells = {curve.name()};
      row.note = curve.preset + (curve.panel_name().empty() ? "" : ", " + curve.panel_name());
      for (const study::TableColumn& column : study.table) {
        const auto found = point.numbers.find(column.number);
        row.cells.push_back(found == point.numbers.end() ? nlohmann::json()
                                                         : nlohmann::json(found->second.mean()));
      }
      table.rows.push_back(std::move(row));
    }
  }
  page.table(table);
}

/// Long form: one number a line, as every tool reads it.
std::string csv_of(const Results& results, const Study& study) {
  std::string text =
      fmt::format("preset,panel,curve,{},number,mean,half_width,seeds\n", study.sweep);
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study) continue;
    for (const study::Point& point : curve.points) {
      for (const auto& [name, sample] : point.numbers) {
        text += fmt::format("{},\"{}\",\"{}\",{},{},{:.6g},{:.6g},{}\n",
                            curve.preset,
                            curve.panel_name(),
                            curve.name(),
                            point.value,
                            name,
                            sample.mean(),
                            sample.half_width(),
                            sample.values.size());
      }
    }
  }
  return text;
}

std::string command_of(const Study& study, const StudySetting& setting) {
  const std::string& name = study.numbers.front() == "ours" ? study.id : study.numbers.front();
  std::string text = "nodl reproduce " + name;
  if (study.source() != "synthetic") text += " --data DIR";
  if (!has_preset(setting, "paper") || !has_preset(setting, "released")) {
    text += " --preset " + setting.presets.front();
  }
  if (setting.quick) text += " --quick";
  if (setting.seeds > 1) text += fmt::format(" --seeds {}", setting.seeds);
  return text + " --output DIR";
}

void add_study(ReportPage& page,
               const Results& results,
               const Study& study,
               const NumberedClaims& claims,
               const StudySetting& setting) {
  page.heading(fmt::format("{}: {}", study.figures, study.title));
  page.text(study.about);
  const std::vector<VerdictRow> rows = claims.of(study.id);
  if (!rows.empty()) page.verdicts(rows, true);
  for (std::size_t panel = 0; panel < study.panels.size(); ++panel) {
    for (const study::ChartSpec& spec : study.charts) {
      const std::vector<Chart> pair = charts_of(results, study, panel, spec);
      if (!pair.empty()) page.charts(pair);
    }
  }
  add_table(page, results, study);
  add_pictures(page, results, study);
  page.code(command_of(study, setting));
  page.download("Numbers as CSV", study.id + ".csv", csv_of(results, study));
  std::set<std::string> shown;
  for (const CurveResult& curve : results.curves()) {
    if (curve.study != &study || !shown.insert(curve.preset).second) continue;
    page.options(fmt::format("All options of {}, preset {}", curve.name(), curve.preset),
                 curve.options);
  }
}

}  // namespace

std::string study_page(const Results& results,
                       const std::vector<ClaimResult>& claims,
                       const StudySetting& setting) {
  ReportPage page("Neurogenesis-Inspired Dictionary Learning, reproduced",
                  "The figures and claims of Garg, Rish, Cecchi and Lozano (arXiv:1701.06106), run "
                  "with `nodl`.");
  add_summary(page, results, claims, setting);
  const NumberedClaims list = numbered(claims);
  add_verdicts(page, list);
  add_agreement(page, results);
  for (const Study& study : results.studies()) add_study(page, results, study, list, setting);
  return page.html();
}

}  // namespace nodl::cli
