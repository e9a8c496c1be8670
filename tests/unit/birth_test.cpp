// Steps 5-6: when atoms are born, and how many.
#include "nodl/birth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nodl {
namespace {

// One call: correlation p of a batch that is not the first, far from the cap.
Index births(double p, const BirthOptions& options) {
  Index carried = 0;
  return decide_births(p, false, 10, options, carried).count;
}

const BirthOptions kPaper{.birth_threshold = 0.875, .max_births = 40, .max_atoms = 1000};

TEST(DecideBirths, FollowsTheTable) {
  // p, births: floor((1 - p) 40) if p <= 0.875; all products are exact.
  EXPECT_EQ(births(1.0, kPaper), 0);
  EXPECT_EQ(births(0.9, kPaper), 0);
  EXPECT_EQ(births(std::nextafter(0.875, 1), kPaper), 0);
  EXPECT_EQ(births(0.875, kPaper), 5) << "at the threshold: step 5 has <=";
  EXPECT_EQ(births(0.75, kPaper), 10);
  EXPECT_EQ(births(0.609375, kPaper), 15) << "15.625 is rounded down";
  EXPECT_EQ(births(0.5, kPaper), 20);
  EXPECT_EQ(births(0.0, kPaper), 40);
}

TEST(DecideBirths, DefaultThresholdIsPartOfItsRange) {
  const BirthOptions options{.max_atoms = 1000};
  EXPECT_GT(births(0.9, options), 0);
  EXPECT_EQ(births(std::nextafter(0.9, 1), options), 0);
}

TEST(DecideBirths, NegativeCorrelationsGiveNoMoreThanMaxBirths) {
  EXPECT_EQ(births(-0.25, kPaper), 40);
  EXPECT_EQ(births(-1, kPaper), 40);
}

TEST(DecideBirths, NoneWithoutMaxBirths) {
  BirthOptions options = kPaper;
  options.max_births = 0;
  EXPECT_EQ(births(0, options), 0);
  options.births = Births::Always;
  EXPECT_EQ(births(0, options), 0);
}

TEST(DecideBirths, AlwaysMeansMaxBirthsInEveryBatch) {
  BirthOptions options = kPaper;
  options.births = Births::Always;
  EXPECT_EQ(births(1.0, options), 40);
  EXPECT_EQ(births(0.5, options), 40);
  // Also in the first batch of a call (PAPER_VS_CODE 3.5), whatever 3.3 says of conditional births.
  options.first_batch_births = false;
  Index carried = 0;
  EXPECT_EQ(decide_births(1.0, true, 10, options, carried).count, 40);
}

TEST(DecideBirths, MaxAtomsDeniesTheRest) {
  BirthOptions options = kPaper;
  options.max_atoms = 100;
  Index carried = 0;
  BirthDecision decision = decide_births(0.5, false, 85, options, carried);
  EXPECT_EQ(decision.count, 15);
  EXPECT_EQ(decision.denied, 5);
  decision = decide_births(0.5, false, 100, options, carried);
  EXPECT_EQ(decision.count, 0);
  EXPECT_EQ(decision.denied, 20);
  decision = decide_births(0.5, false, 80, options, carried);
  EXPECT_EQ(decision.count, 20);
  EXPECT_EQ(decision.denied, 0);
  decision = decide_births(1.0, false, 100, options, carried);
  EXPECT_EQ(decision.denied, 0) << "nothing was wanted";
  options.births = Births::Always;
  decision = decide_births(1.0, false, 98, options, carried);
  EXPECT_EQ(decision.count, 2);
  EXPECT_EQ(decision.denied, 38);
}

TEST(DecideBirths, ADictionaryAboveTheCapGetsNone) {
  BirthOptions options = kPaper;
  options.max_atoms = 100;
  Index carried = 0;
  EXPECT_EQ(decide_births(0, false, 120, options, carried).count, 0);
}

TEST(DecideBirths, FirstBatchOfACallByOption) {
  BirthOptions options = kPaper;
  Index carried = 0;
  EXPECT_EQ(decide_births(0.5, true, 10, options, carried).count, 20);
  options.first_batch_births = false;
  EXPECT_EQ(decide_births(0.5, true, 10, options, carried).count, 0);
  EXPECT_EQ(decide_births(0.5, false, 10, options, carried).count, 20);
}

// PAPER_VS_CODE 3.4: when the test fails, the rate of the last batch that passed it is used again.
TEST(DecideBirths, CarriedRateStaysWhenTheTestFails) {
  BirthOptions options = kPaper;
  options.birth_rate = BirthRate::Carried;
  Index carried = 0;
  EXPECT_EQ(decide_births(1.0, false, 10, options, carried).count, 0) << "no rate yet";
  EXPECT_EQ(decide_births(0.75, false, 10, options, carried).count, 10);
  EXPECT_EQ(decide_births(0.95, false, 10, options, carried).count, 10);
  EXPECT_EQ(decide_births(1.0, false, 10, options, carried).count, 10);
  EXPECT_EQ(decide_births(0.5, false, 10, options, carried).count, 20);
  EXPECT_EQ(decide_births(0.95, false, 10, options, carried).count, 20);
}

TEST(DecideBirths, CarriedRateIsNotWhatTheCapLeft) {
  BirthOptions options = kPaper;
  options.birth_rate = BirthRate::Carried;
  options.max_atoms = 100;
  Index carried = 0;
  EXPECT_EQ(decide_births(0.5, false, 99, options, carried).count, 1);
  EXPECT_EQ(decide_births(1.0, false, 10, options, carried).count, 20);
}

// 3.3: for the first batch the rate is set to 0; 3.4: so nothing is carried into or out of it.
TEST(DecideBirths, FirstBatchResetsTheCarriedRate) {
  BirthOptions options = kPaper;
  options.birth_rate = BirthRate::Carried;
  options.first_batch_births = false;
  Index carried = 0;
  EXPECT_EQ(decide_births(0.5, false, 10, options, carried).count, 20);
  EXPECT_EQ(decide_births(0.5, true, 10, options, carried).count, 0);
  EXPECT_EQ(decide_births(1.0, false, 10, options, carried).count, 0);
}

TEST(DecideBirths, FreshRateForgets) {
  Index carried = 0;
  EXPECT_EQ(decide_births(0.5, false, 10, kPaper, carried).count, 20);
  EXPECT_EQ(decide_births(1.0, false, 10, kPaper, carried).count, 0);
}

}  // namespace
}  // namespace nodl
