// Pearson and Spearman correlations: hand values, and no NaN for any input.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nodl/metrics.h"
#include "nodl/random.h"
#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class Correlation : public ::testing::Test {
 protected:
  using Column = std::vector<Scalar>;
  static double pearson_of(Column x, Column y) { return pearson<Scalar>(x, y); }
  static double spearman_of(Column x, Column y) { return spearman<Scalar>(x, y); }
  // Sums of a few products, each rounded once, divided by one another.
  static constexpr double kRounding = 32 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Correlation, Scalars);

TYPED_TEST(Correlation, PearsonByHand) {
  // Deviations (-1, 0, 1) and (-2, 1, 1): 3 / sqrt(2 * 6).
  EXPECT_NEAR(this->pearson_of({1, 2, 3}, {1, 4, 4}), 3 / std::sqrt(12.0), this->kRounding);
  EXPECT_NEAR(this->pearson_of({1, 2, 3}, {10, 20, 30}), 1, this->kRounding);
  EXPECT_NEAR(this->pearson_of({1, 2, 3}, {3, 2, 1}), -1, this->kRounding);
  EXPECT_NEAR(this->pearson_of({1, 0, -1, 0}, {0, 1, 0, -1}), 0, this->kRounding);
}

TYPED_TEST(Correlation, PearsonOfConstantsIsZero) {
  EXPECT_EQ(this->pearson_of({2, 2, 2}, {1, 2, 3}), 0);
  EXPECT_EQ(this->pearson_of({1, 2, 3}, {0, 0, 0}), 0);
  EXPECT_EQ(this->pearson_of({5, 5}, {7, 7}), 0);
  EXPECT_EQ(this->pearson_of({1}, {2}), 0);
  EXPECT_EQ(this->pearson_of({}, {}), 0);
  // 0.1 is not a binary number: its mean over 7 entries need not be 0.1 again.
  const TypeParam tenth = static_cast<TypeParam>(0.1);
  EXPECT_EQ(this->pearson_of(std::vector<TypeParam>(7, tenth), {1, 2, 3, 4, 5, 6, 8}), 0);
}

TYPED_TEST(Correlation, PearsonDoesNotDependOnTheScale) {
  const std::vector<TypeParam> x = {1, 5, 2, 4, 3}, y = {2, 4, 1, 5, 3};
  const double expected = this->pearson_of(x, y);
  for (const double factor : sizeof(TypeParam) == 4 ? std::vector<double>{1e-15, 1e15}
                                                    : std::vector<double>{1e-100, 1e100}) {
    auto a = x, b = y;
    for (TypeParam& value : a) value *= static_cast<TypeParam>(factor);
    for (TypeParam& value : b) value *= static_cast<TypeParam>(factor);
    EXPECT_NEAR(this->pearson_of(a, b), expected, this->kRounding) << factor;
  }
}

TYPED_TEST(Correlation, PearsonDoesNotDependOnAnOffset) {
  // Entries stay integers that both scalars hold exactly.
  std::vector<TypeParam> x, y;
  Random random(1, Purpose::SyntheticData);
  for (int i = 0; i < 100; ++i) {
    x.push_back(static_cast<TypeParam>(random.below(64)));
    y.push_back(static_cast<TypeParam>(random.below(64)));
  }
  const double expected = this->pearson_of(x, y);
  for (TypeParam& value : x) value += 1 << 20;
  // Means carry a rounding of eps * 2^20 against deviations of 18.
  EXPECT_NEAR(
      this->pearson_of(x, y), expected, std::ldexp(1, 20) / 18 * test::epsilon<TypeParam>());
}

TYPED_TEST(Correlation, CorrelationsNeverLeaveMinusOneToOne) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed, Purpose::SyntheticData);
    std::vector<TypeParam> x, y;
    for (int i = 0; i < 30; ++i) {
      x.push_back(static_cast<TypeParam>(random.normal()));
      y.push_back(x.back() * -3);
    }
    EXPECT_LE(std::abs(this->pearson_of(x, x)), 1);
    EXPECT_LE(std::abs(this->pearson_of(x, y)), 1);
    EXPECT_LE(std::abs(this->spearman_of(x, y)), 1);
  }
}

TYPED_TEST(Correlation, SpearmanByHandWithoutTies) {
  // Ranks (1,2,3,4,5) and (2,1,4,3,5): 1 - 6 * 4 / (5 * 24) = 0.8.
  EXPECT_NEAR(this->spearman_of({1, 20, 30, 400, 5000}, {2, 1, 4, 3, 5}), 0.8, this->kRounding);
  EXPECT_NEAR(this->spearman_of({1, 2, 3}, {-1, -8, -27}), -1, this->kRounding);
}

TYPED_TEST(Correlation, SpearmanGivesTiesTheirAverageRank) {
  // Ranks of (1, 2, 2, 3): 1, 2.5, 2.5, 4; of (1, 2, 3, 4) themselves. Deviations (-1.5, 0, 0, 1.5)
  // and (-1.5, -0.5, 0.5, 1.5): 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(
      this->spearman_of({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / std::sqrt(22.5), this->kRounding);
  // Ranks (2.5, 2.5, 2.5, 2.5, 5) and (1.5, 1.5, 3.5, 3.5, 5):
  // deviations (-.5, -.5, -.5, -.5, 2) and (-1.5, -1.5, .5, .5, 2): 5 / sqrt(5 * 9).
  EXPECT_NEAR(
      this->spearman_of({0, 0, 0, 0, 1}, {-1, -1, 2, 2, 9}), 5 / std::sqrt(45.0), this->kRounding);
}

TYPED_TEST(Correlation, SpearmanTreatsBothZerosAsOneValue) {
  EXPECT_NEAR(this->spearman_of({0, -TypeParam(0), 1}, {1, 1, 2}), 1, this->kRounding);
}

TYPED_TEST(Correlation, SpearmanOfConstantsIsZero) {
  EXPECT_EQ(this->spearman_of({2, 2, 2}, {1, 2, 3}), 0);
  EXPECT_EQ(this->spearman_of({1, 2, 3}, {4, 4, 4}), 0);
  EXPECT_EQ(this->spearman_of({1}, {1}), 0);
}

}  // namespace
}  // namespace nodl
