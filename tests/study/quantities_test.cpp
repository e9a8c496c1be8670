// Verdicts follow from numbers: hand-made curves with known answers.
#include "studies/quantities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <utility>

namespace nodl::study {
namespace {

Study two_curves() {
  Study study;
  study.id = "s";
  study.sweep = "atoms";
  study.panels = {{"", "", Json::object()}};
  for (const char* name : {"A", "B"}) {
    Curve curve;
    curve.name = name;
    curve.method = "odl";
    curve.run = Json::object();
    study.curves.push_back(curve);
  }
  study.values = {10, 20};
  study.run = {
      {"stream", {{"source", "synthetic"}, {"train", Json::array()}, {"test", Json::array()}}},
      {"options", Json::object()}};
  study.presets = {{"paper", Json::object()}};
  return study;
}

using Numbers = std::map<std::string, double>;

std::unique_ptr<Results> results_of(const Study& study,
                                    int seeds,
                                    const std::function<Numbers(const PlannedRun&)>& numbers) {
  const std::vector<PlannedRun> runs = plan({study}, {"paper"}, seeds);
  std::map<std::string, RunResult> by_key;
  std::vector<std::string> keys;
  for (const PlannedRun& run : runs) {
    keys.push_back(std::to_string(keys.size()));
    by_key[keys.back()].numbers = numbers(run);
    by_key[keys.back()].numbers["initial"] = run.value;
  }
  return std::make_unique<Results>(std::vector<Study>{study}, runs, keys, by_key);
}

/// A: final sizes 30, 40 with accuracy 0.6, 0.8. B: sizes 10, 50 with accuracy 0.1, 0.5. `goal` and
/// `edge` do not scatter, `up` rises by 1 with the first seed and by 3 with the second.
class Quantities : public testing::Test {
 protected:
  Quantities() {
    results_ = results_of(two_curves(), 2, [](const PlannedRun& run) -> Numbers {
      const bool first = run.value == 10;
      const double noise = run.seed == 1 ? -0.01 : 0.01;
      const double up = first ? 0 : run.seed == 1 ? 1 : 3;
      if (run.curve == 1) {
        return {{"alive", first ? 10 : 50}, {"p", (first ? 0.1 : 0.5) + noise}};
      }
      return {{"alive", first ? 30 : 40},
              {"p", (first ? 0.6 : 0.8) + noise},
              {"goal", 0.7},
              {"edge", 0.6},
              {"up", up},
              {"down", -up}};
    });
  }

  CheckResult checked(const char* check) const {
    return observe(*results_, "s", "paper", Json::parse(check));
  }
  std::vector<Observation> observed(const char* check) const { return checked(check).observations; }
  /// The mean and the interval of two values, one a seed.
  static void expect_mean(const Observation& found, double a, double b) {
    EXPECT_NEAR(found.value, (a + b) / 2, 1e-12);
    EXPECT_NEAR(found.half_width, 12.706 * std::abs(a - b) / 2, 1e-9);
  }

  std::unique_ptr<Results> results_;
};

TEST_F(Quantities, DifferenceAtTheSameSizeInterpolatesTheOtherCurve) {
  const auto found = observed(
      R"({"quantity": "difference", "at": "same size", "of": {"curve": "A", "number": "p"},
          "against": {"curve": "B", "number": "p"}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].value, 0.6 - 0.3, 1e-12);  // B at 30 atoms
  EXPECT_NEAR(found[1].value, 0.8 - 0.4, 1e-12);
}

TEST_F(Quantities, AtTheSameSizeTheIntervalIsThatOfTheQuantity) {
  const auto difference = observed(
      R"({"quantity": "difference", "at": "same size",
          "of": {"curve": "A", "number": "p", "to": 10},
          "against": {"curve": "B", "number": "p"}})");
  ASSERT_EQ(difference.size(), 1U);
  expect_mean(difference[0], 0.3, 0.3);  // the noise of a seed is in both
  const auto ratio = observed(
      R"({"quantity": "ratio", "at": "same size", "of": {"curve": "A", "number": "p", "to": 10},
          "against": {"curve": "B", "number": "p"}})");
  ASSERT_EQ(ratio.size(), 1U);
  expect_mean(ratio[0], 0.59 / 0.29, 0.61 / 0.31);
}

TEST_F(Quantities, WhatCannotBeComparedIsCountedAndNamed) {
  const CheckResult sizes = checked(
      R"({"quantity": "difference", "at": "same size", "of": {"curve": "B", "number": "p"},
          "against": {"curve": "A", "number": "p"}})");
  EXPECT_TRUE(sizes.observations.empty());
  EXPECT_EQ(sizes.not_comparable, (std::vector<std::string>{"B, atoms 10", "B, atoms 20"}));
  EXPECT_EQ(sizes.untested, std::vector<std::string>{"B"});
  const CheckResult start = checked(
      R"({"quantity": "difference", "of": {"curve": "A", "number": "p"},
          "against": {"curve": "B", "number": "p", "to": 10}})");
  EXPECT_EQ(start.observations.size(), 1U);
  EXPECT_EQ(start.not_comparable, std::vector<std::string>{"A, atoms 20"});
  EXPECT_TRUE(start.untested.empty());
}

// A claim about all values of a parameter is not tested by one of them.
TEST(Panels, OneWithoutAnyValueIsNamedAndLimitsTheVerdict) {
  Study study = two_curves();
  study.panels = {{"small", "", Json::object()}, {"large", "", Json::object()}};
  const auto results = results_of(study, 1, [](const PlannedRun& run) -> Numbers {
    if (run.curve == 1) return {{"alive", run.value}, {"p", 0.1}};
    return {{"alive", run.panel == 0 ? 15 : 100}, {"p", 0.5}};
  });
  CheckResult check = observe(
      *results,
      "s",
      "paper",
      Json::parse(
          R"({"quantity": "difference", "at": "same size", "of": {"curve": "A", "number": "p"},
              "against": {"curve": "B", "number": "p"}})"));
  EXPECT_EQ(check.observations.size(), 2U);
  EXPECT_EQ(check.not_comparable.size(), 2U);
  EXPECT_EQ(check.untested, std::vector<std::string>{"large"});
  for (Observation& one : check.observations) one.agrees = true;
  EXPECT_EQ(verdict_of({check}), Verdict::HoldsInPart);
  ClaimResult claim;
  check.what = "p";
  check.expected = "at least 0";
  claim.checks = {check};
  EXPECT_EQ(claim.numbers(),
            "p: 0.4 (expected at least 0; 2 of 2 agree, 2 not comparable); not tested: large");
  EXPECT_EQ(to_json(claim).at("checks")[0].at("not_comparable").size(), 2U);
  check.untested.clear();
  EXPECT_EQ(verdict_of({check}), Verdict::Holds);
}

TEST_F(Quantities, DifferenceAtTheSameStartPairsTheSeeds) {
  const auto found = observed(
      R"({"quantity": "difference", "of": {"curve": "A", "number": "p", "to": 10},
          "against": {"curve": "B", "number": "p"}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].value, 0.5, 1e-12);
  EXPECT_NEAR(found[0].half_width, 0, 1e-12);  // the noise of a seed is in both
}

TEST_F(Quantities, SizeRatioAsksForTheSizeThatReachesAnAccuracy) {
  // B reaches at most 0.5: nothing of A. A's accuracies lie above all of B.
  EXPECT_TRUE(observed(R"({"quantity": "size ratio", "of": {"curve": "B", "number": "p"},
                           "against": {"curve": "A", "number": "p"}})")
                  .empty());
  // Against itself every size is its own.
  for (const Observation& o : observed(R"({"quantity": "size ratio",
         "of": {"curve": "A", "number": "p"}, "against": {"curve": "A", "number": "p"}})")) {
    EXPECT_NEAR(o.value, 1, 1e-12);
  }
}

TEST_F(Quantities, SizeRatioIsTakenSeedBySeed) {
  const auto found = observed(R"({"quantity": "size ratio", "of": {"curve": "A", "number": "p"},
                                  "against": {"curve": "A", "number": "goal", "to": 10}})");
  ASSERT_EQ(found.size(), 1U);
  expect_mean(found[0], 35.5 / 30, 34.5 / 30);  // 0.59 ... 0.79 and 0.61 ... 0.81 at 30 ... 40
  // The second seed lies above the goal everywhere: one seed alone would have no interval.
  const CheckResult edge = checked(R"({"quantity": "size ratio",
      "of": {"curve": "A", "number": "p"},
      "against": {"curve": "A", "number": "edge", "to": 10}})");
  EXPECT_TRUE(edge.observations.empty());
  EXPECT_EQ(edge.not_comparable.size(), 1U);
}

TEST_F(Quantities, SpreadComparesRanges) {
  const auto found = observed(R"({"quantity": "spread", "of": {"curve": "B", "number": "alive"}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].value, 40.0 / 10, 1e-12);
}

TEST_F(Quantities, SpreadAndLossAreTakenSeedBySeed) {
  const auto spread = observed(R"({"quantity": "spread", "of": {"curve": "A", "number": "up"}})");
  ASSERT_EQ(spread.size(), 1U);
  expect_mean(spread[0], 0.1, 0.3);
  const auto loss =
      observed(R"({"quantity": "loss from best", "of": {"curve": "A", "number": "down"}})");
  ASSERT_EQ(loss.size(), 1U);
  expect_mean(loss[0], -1, -3);
}

TEST_F(Quantities, IntervalIsStudents) {
  const auto found =
      observed(R"({"quantity": "value", "of": {"curve": "A", "number": "p", "to": 10}})");
  ASSERT_EQ(found.size(), 1U);
  // Two values 0.02 apart: deviation 0.0141, error of the mean 0.01, t = 12.706.
  EXPECT_NEAR(found[0].half_width, 0.12706, 1e-6);
}

TEST(Sample, IntervalFollowsStudentsTable) {
  const std::vector<std::pair<int, double>> table = {{3, 4.3027},
                                                     {10, 2.2622},
                                                     {11, 2.2281},
                                                     {12, 2.2010},
                                                     {21, 2.0860},
                                                     {31, 2.0423},
                                                     {121, 1.9799},
                                                     {1001, 1.9623}};
  for (const auto& [n, quantile] : table) {
    Sample sample;
    for (int i = 0; i < n; ++i) sample.values.push_back(i);
    EXPECT_NEAR(sample.half_width() * std::sqrt(n) / sample.deviation(), quantile, 0.003) << n;
  }
}

TEST(Interpolate, IsALineBetweenPointsAndNothingOutside) {
  EXPECT_DOUBLE_EQ(interpolate({{2, 20}, {0, 0}}, 1), 10);
  EXPECT_DOUBLE_EQ(interpolate({{2, 20}, {0, 0}}, 2), 20);
  EXPECT_TRUE(std::isnan(interpolate({{2, 20}, {0, 0}}, 2.1)));
  EXPECT_TRUE(std::isnan(interpolate({}, 0)));
}

TEST(Verdict, NeedsAllValuesToHoldAndHalfToHoldInPart) {
  const auto checks = [](int good, int bad) {
    CheckResult check;
    for (int i = 0; i < good; ++i) check.observations.push_back({"", 0, 0, true});
    for (int i = 0; i < bad; ++i) check.observations.push_back({"", 0, 0, false});
    return std::vector<CheckResult>{check};
  };
  EXPECT_EQ(verdict_of(checks(3, 0)), Verdict::Holds);
  EXPECT_EQ(verdict_of(checks(2, 2)), Verdict::HoldsInPart);
  EXPECT_EQ(verdict_of(checks(1, 2)), Verdict::DoesNotHold);
  EXPECT_EQ(verdict_of(checks(0, 0)), Verdict::NotTested);
}

// Two values that disagree by less than seeds scatter decide nothing; if nothing else is there,
// means do.
TEST(Verdict, IsOfWhatSeedsDecide) {
  CheckResult check;
  for (int i = 0; i < 2; ++i) check.observations.push_back({"", 0, 0.1, false, false});
  check.observations.push_back({"", 0, 0.1, true, false});
  EXPECT_EQ(verdict_of({check}), Verdict::DoesNotHold);
  check.observations.push_back({"", 0, 0.1, true, true});
  EXPECT_EQ(verdict_of({check}), Verdict::Holds);
}

}  // namespace
}  // namespace nodl::study
