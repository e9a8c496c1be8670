// Verdicts follow from numbers: hand-made curves with known answers.
#include "studies/quantities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

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

/// A: final sizes 30, 40 with accuracy 0.6, 0.8. B: sizes 10, 50 with accuracy 0.1, 0.5.
class Quantities : public testing::Test {
 protected:
  Quantities() {
    const std::vector<Study> studies = {two_curves()};
    const std::vector<PlannedRun> runs = plan(studies, {"paper"}, kSeeds);
    std::map<std::string, RunResult> by_key;
    std::vector<std::string> keys;
    for (const PlannedRun& run : runs) {
      const bool first = run.value == 10;
      const double noise = run.seed == 1 ? -0.01 : 0.01;
      RunResult result;
      if (run.curve == 0) {
        result.numbers = {{"alive", first ? 30 : 40}, {"p", (first ? 0.6 : 0.8) + noise}};
      } else {
        result.numbers = {{"alive", first ? 10 : 50}, {"p", (first ? 0.1 : 0.5) + noise}};
      }
      result.numbers["initial"] = run.value;
      keys.push_back(std::to_string(keys.size()));
      by_key[keys.back()] = result;
    }
    results_ = std::make_unique<Results>(studies, runs, keys, by_key);
  }

  std::vector<Observation> observed(const char* check) const {
    return observe(*results_, "s", "paper", Json::parse(check));
  }

  static constexpr int kSeeds = 2;
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

TEST_F(Quantities, OutsideOfTheOtherCurveThereIsNothingToCompare) {
  const auto found = observed(
      R"({"quantity": "difference", "at": "same size", "of": {"curve": "B", "number": "p"},
          "against": {"curve": "A", "number": "p"}})");
  EXPECT_TRUE(found.empty());
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

TEST_F(Quantities, SpreadComparesRanges) {
  const auto found = observed(R"({"quantity": "spread", "of": {"curve": "B", "number": "alive"}})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].value, 40.0 / 10, 1e-12);
}

TEST_F(Quantities, IntervalIsStudents) {
  const auto found =
      observed(R"({"quantity": "value", "of": {"curve": "A", "number": "p", "to": 10}})");
  ASSERT_EQ(found.size(), 1U);
  // Two values 0.02 apart: deviation 0.0141, error of the mean 0.01, t = 12.706.
  EXPECT_NEAR(found[0].half_width, 0.12706, 1e-6);
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
