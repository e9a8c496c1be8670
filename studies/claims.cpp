#include "claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "quantities.h"
#include "study_assets.h"

namespace nodl::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string bounds_text(const Json& check) {
  if (check.contains("at_least") && check.contains("at_most")) {
    return fmt::format(
        "{} to {}", check.at("at_least").get<double>(), check.at("at_most").get<double>());
  }
  if (check.contains("at_least")) {
    return fmt::format("at least {}", check.at("at_least").get<double>());
  }
  return fmt::format("at most {}", check.at("at_most").get<double>());
}

CheckResult run_check(const Results& results,
                      const std::string& study,
                      const std::string& preset,
                      const Json& check) {
  CheckResult result = observe(results, study, preset, check);
  result.what = check.at("what");
  result.expected = bounds_text(check);
  const double low = check.value("at_least", -kInfinity);
  const double high = check.value("at_most", kInfinity);
  for (Observation& observation : result.observations) {
    observation.agrees = observation.value >= low && observation.value <= high;
    const double least = observation.value - observation.half_width;
    const double most = observation.value + observation.half_width;
    const auto contains = [&](double bound) { return least < bound && bound < most; };
    observation.decided = !contains(low) && !contains(high);
  }
  return result;
}

std::string brief(double value) {
  return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// "0.02 … 0.31"
std::string span(const std::vector<Observation>& observations) {
  if (observations.empty()) return "–";
  const auto [low, high] = std::minmax_element(
      observations.begin(), observations.end(), [](const auto& a, const auto& b) {
        return a.value < b.value;
      });
  return low->value == high->value ? brief(low->value)
                                   : brief(low->value) + " … " + brief(high->value);
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
      return "holds";
    case Verdict::HoldsInPart:
      return "holds in part";
    case Verdict::DoesNotHold:
      return "does not hold";
    case Verdict::NotTested:
      return "not tested";
  }
  return "";
}

Verdict verdict_of(const std::vector<CheckResult>& checks) {
  std::vector<Observation> all;
  bool everywhere = true;
  for (const CheckResult& check : checks) {
    all.insert(all.end(), check.observations.begin(), check.observations.end());
    everywhere = everywhere && check.untested.empty();
  }
  if (all.empty()) return Verdict::NotTested;
  const auto decided = [](const Observation& o) { return o.decided; };
  if (std::any_of(all.begin(), all.end(), decided)) std::erase_if(all, std::not_fn(decided));
  const auto agreeing = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Observation& o) { return o.agrees; }));
  if (agreeing == all.size() && everywhere) return Verdict::Holds;
  return 2 * agreeing >= all.size() ? Verdict::HoldsInPart : Verdict::DoesNotHold;
}

std::string ClaimResult::numbers() const {
  std::string text;
  for (const CheckResult& check : checks) {
    const std::vector<Observation>& seen = check.observations;
    if (seen.empty() && check.not_comparable.empty()) continue;
    const auto agreeing =
        std::count_if(seen.begin(), seen.end(), [](const auto& o) { return o.agrees; });
    if (!text.empty()) text += "\n";
    text += fmt::format("{}: {} (expected {}; {} of {} agree",
                        check.what,
                        span(seen),
                        check.expected,
                        agreeing,
                        seen.size());
    if (!check.not_comparable.empty()) {
      text += fmt::format(", {} not comparable", check.not_comparable.size());
    }
    text += ")";
    const auto undecided =
        std::count_if(seen.begin(), seen.end(), [](const auto& o) { return !o.decided; });
    if (undecided > 0) text += fmt::format(", {} undecided by the scatter of seeds", undecided);
    if (!check.untested.empty()) {
      text += fmt::format("; not tested: {}", fmt::join(check.untested, "; "));
    }
  }
  return text;
}

std::vector<ClaimResult> judge(const Results& results) {
  std::vector<ClaimResult> judged;
  for (const Json& claim : Json::parse(assets::kClaims)) {
    for (const std::string preset : {"paper", "released"}) {
      ClaimResult result;
      result.id = claim.at("id");
      result.place = claim.at("place");
      result.statement = claim.at("statement");
      result.study = claim.at("study");
      result.remark = claim.value("remark", "");
      result.preset = preset;
      for (const Json& check : claim.at("checks")) {
        result.checks.push_back(run_check(results, result.study, preset, check));
      }
      result.verdict = verdict_of(result.checks);
      judged.push_back(std::move(result));
    }
  }
  return judged;
}

Json to_json(const ClaimResult& claim) {
  Json checks = Json::array();
  for (const CheckResult& check : claim.checks) {
    Json observations = Json::array();
    for (const Observation& o : check.observations) {
      observations.push_back({{"where", o.where},
                              {"value", o.value},
                              {"half_width", o.half_width},
                              {"agrees", o.agrees},
                              {"decided", o.decided}});
    }
    checks.push_back({{"what", check.what},
                      {"expected", check.expected},
                      {"observations", observations},
                      {"not_comparable", check.not_comparable},
                      {"untested", check.untested}});
  }
  return {{"id", claim.id},
          {"place", claim.place},
          {"statement", claim.statement},
          {"preset", claim.preset},
          {"verdict", name_of(claim.verdict)},
          {"checks", checks}};
}

}  // namespace nodl::study
