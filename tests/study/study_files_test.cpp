// The files of studies/: all can be planned, and every claim speaks of something that is run.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "studies/plan.h"
#include "studies/study_file.h"

namespace nodl::study {
namespace {

const std::vector<std::string> kBoth = {"paper", "released"};

Json claims() {
  std::ifstream file(std::string(NODL_SOURCE_DIR) + "/studies/claims.json");
  return Json::parse(file);
}

TEST(StudyFiles, EveryFigureOfThePaperHasAStudy) {
  std::set<std::string> figures;
  for (const Study& study : all_studies(false)) {
    figures.insert(study.numbers.begin(), study.numbers.end());
  }
  for (int figure = 1; figure <= 26; ++figure) {
    EXPECT_TRUE(figures.contains(std::to_string(figure))) << "Fig. " << figure;
  }
}

TEST(StudyFiles, AllRunsCanBePlanned) {
  for (const bool quick : {false, true}) {
    for (const Study& study : all_studies(quick)) {
      const std::vector<PlannedRun> runs = plan({study}, kBoth, 1);
      EXPECT_FALSE(runs.empty()) << study.id;
      for (const PlannedRun& run : runs) {
        EXPECT_TRUE(violations(run.options).empty()) << run.label;
        EXPECT_GT(training_samples(run.stream), 0) << run.label;
      }
    }
  }
}

TEST(StudyFiles, ReleasedReadsAsManySamplesAsTheAuthorsCode) {
  for (const Study& study : all_studies(false)) {
    if (study.id != "images-sparse") continue;
    for (const PlannedRun& run : plan({study}, kBoth, 1)) {
      EXPECT_EQ(training_samples(run.stream), run.preset == "paper" ? 5700 : 3800);
    }
  }
}

TEST(StudyFiles, ClaimsNameCurvesAndPanelsThatThereAre) {
  const std::vector<Study> studies = all_studies(false);
  const auto check = [&](const std::string& claim, const std::string& id, const Json& selector) {
    const auto study = std::find_if(studies.begin(), studies.end(), [&](const Study& s) {
      return s.id == selector.value("study", id);
    });
    ASSERT_NE(study, studies.end()) << claim;
    const auto named = [&](const auto& list, const char* key) {
      return !selector.contains(key) || std::any_of(list.begin(), list.end(), [&](const auto& one) {
        return one.name == selector.at(key).template get<std::string>();
      });
    };
    EXPECT_TRUE(named(study->curves, "curve")) << claim << " " << selector;
    EXPECT_TRUE(named(study->panels, "panel")) << claim << " " << selector;
  };
  std::set<std::string> ids;
  for (const Json& claim : claims()) {
    EXPECT_TRUE(ids.insert(claim.at("id").get<std::string>()).second) << claim.at("id");
    EXPECT_FALSE(claim.at("checks").empty()) << claim.at("id");
    for (const Json& one : claim.at("checks")) {
      EXPECT_TRUE(one.contains("at_least") || one.contains("at_most")) << claim.at("id");
      check(claim.at("id"), claim.at("study"), one.at("of"));
      if (one.contains("against")) check(claim.at("id"), claim.at("study"), one.at("against"));
    }
  }
  EXPECT_GE(ids.size(), 30U);
}

TEST(Plan, KeyFollowsAllThatChangesTheResult) {
  const DataFolder data("nowhere");
  const std::vector<Study> studies = choose(all_studies(true), {"5"});
  const std::vector<PlannedRun> runs = plan(studies, kBoth, 2);
  std::set<std::string> keys;
  for (const PlannedRun& run : runs) keys.insert(run.key(data));
  EXPECT_EQ(keys.size(), runs.size());  // preset, curve, size and seed
  PlannedRun run = runs.front();
  run.label = "another name";
  EXPECT_EQ(run.key(data), runs.front().key(data));
  run.stream["test_count"] = 7;
  EXPECT_NE(run.key(data), runs.front().key(data));
}

TEST(Plan, WithoutBirthsTheirOptionsDoNotMakeAnotherRun) {
  const DataFolder data("nowhere");
  std::set<std::string> keys;
  for (const PlannedRun& run : plan(choose(all_studies(false), {"26"}), {"paper"}, 1)) {
    if (run.options.birth.max_births == 0) {
      PlannedRun synthetic = run;  // no files here to hash
      synthetic.stream["source"] = "synthetic";
      keys.insert(synthetic.key(data));
    }
  }
  EXPECT_EQ(keys.size(), 5U);  // one for each size, not for each gamma
}

}  // namespace
}  // namespace nodl::study
