// How values of the authors are counted.
#include "studies/authors.h"

#include <gtest/gtest.h>

namespace nodl::study {
namespace {

std::vector<Agreement> agreement_of(const std::vector<std::string>& figures) {
  const std::vector<Study> studies = choose(all_studies(false), figures);
  const std::vector<PlannedRun> runs = plan(studies, {"released"}, 1);
  std::map<std::string, RunResult> by_key;
  std::vector<std::string> keys;
  for (const PlannedRun& run : runs) {
    keys.push_back(std::to_string(keys.size()));
    for (const Json& set : run.stream.at("test")) {
      by_key[keys.back()].numbers["pearson." + set.get<std::string>()] = 0.5;
    }
  }
  return agreement(Results(studies, runs, keys, by_key));
}

// Fig. 19 and the panel c_k = 50 of Fig. 22 show runs of Fig. 2 once more; ODL* is new in Fig. 19.
TEST(Agreement, CountsARunOnceHoweverManyFiguresShowIt) {
  const std::vector<Agreement> alone = agreement_of({"2"});
  const std::vector<Agreement> all = agreement_of({"2", "19", "22"});
  ASSERT_EQ(alone.size(), 3U);  // one a test set
  ASSERT_EQ(all.size(), 6U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 3) {
      EXPECT_EQ(all[i].compared, alone[i].compared);
    } else {
      EXPECT_EQ(all[i].study, "redrawn");
      EXPECT_EQ(all[i].worst_where.substr(0, 4), "ODL*");
    }
  }
}

}  // namespace
}  // namespace nodl::study
