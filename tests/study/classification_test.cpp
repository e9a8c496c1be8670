// Classifiers on data whose answer is known.
#include "studies/classification.h"

#include <gtest/gtest.h>

#include <thread>

#include "nodl/random.h"

namespace nodl::study {
namespace {

/// Feature 2 tells the classes apart by `gap` deviations; the others are noise.
Labelled two_classes(Index samples, double gap) {
  Labelled data{Matrix<double>(samples, 4), {}};
  Random random(1, Purpose::SyntheticData);
  for (Index i = 0; i < samples; ++i) {
    data.labels.push_back(i % 2 == 0 ? 1 : -1);
    for (Index j = 0; j < 4; ++j) data.features(i, j) = random.normal();
    data.features(i, 2) += data.labels.back() * gap / 2;
  }
  return data;
}

TEST(Classification, TheFeatureThatMattersIsRankedFirst) {
  EXPECT_EQ(ranked_features(two_classes(200, 3))[0], 2);
}

TEST(Classification, FeaturesThatSayNothingComeLast) {
  Labelled data = two_classes(100, 3);
  data.features.col(1).setConstant(4);
  EXPECT_EQ(ranked_features(data)[3], 1);
}

TEST(Classification, ErrorsAreNearTheBestPossible) {
  // Gap of 3 deviations: the best rule errs with probability Phi(-1.5) = 0.067.
  const auto errors = classification_errors(two_classes(1000, 3), {1, 4}, 1);
  for (const char* name : {"logistic", "bayes", "neighbour", "forest"}) {
    for (const char* count : {"1", "4"}) {
      const double error = errors.at("error." + std::string(name) + "." + count);
      EXPECT_GT(error, 0.03) << name << count;
      EXPECT_LT(error, 0.13) << name << count;
    }
  }
}

TEST(Classification, MoreFeaturesThanThereAreMeansAllOfThemOnce) {
  const Labelled data = two_classes(200, 3);
  EXPECT_EQ(classification_errors(data, {4, 350, 1000}, 1), classification_errors(data, {4}, 1));
}

TEST(Classification, AForestDependsOnItsSeedAlone) {
  const Labelled data = two_classes(300, 1);
  const auto first = random_forest(data, data.features, 1);
  EXPECT_NE(random_forest(data, data.features, 2), first);
  std::vector<int> beside;
  std::thread other([&] { beside = random_forest(data, data.features, 1); });
  const auto again = random_forest(data, data.features, 1);
  other.join();
  EXPECT_EQ(again, first);
  EXPECT_EQ(beside, first);
}

TEST(Classification, WithoutADifferenceItIsTossingACoin) {
  const auto errors = classification_errors(two_classes(1000, 0), {4}, 1);
  for (const auto& [name, error] : errors) EXPECT_NEAR(error, 0.5, 0.07) << name;
}

}  // namespace
}  // namespace nodl::study
