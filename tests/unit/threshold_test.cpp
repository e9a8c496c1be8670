// Alg. 2 (bisection) against traces written by hand, and the exact selection rule of issue 2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nodl/error.h"
#include "nodl/prox.h"
#include "nodl/random.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

template <class Scalar>
class Threshold : public ::testing::Test {
 protected:
  static Scalar bisect(std::vector<Scalar> u, Index beta, BisectionOptions options = {}) {
    return threshold_by_bisection<Scalar>(u, beta, options);
  }
  static Scalar select(std::vector<Scalar> u, Index beta) {
    return threshold_by_selection<Scalar>(u, beta);
  }
  static Index above(const std::vector<Scalar>& u, Scalar lambda) {
    return std::count_if(u.begin(), u.end(), [&](Scalar x) { return std::abs(x) > lambda; });
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Threshold, Scalars);

constexpr BisectionOptions kExactCount{.tolerance = 1e-4, .count_tolerance = 0};

// u = 8 -7 6 5 -4 3 2 1. All midpoints are exact in binary.
TYPED_TEST(Threshold, BisectionFollowsTheTraceByHand) {
  const std::vector<TypeParam> u = {8, -7, 6, 5, -4, 3, 2, 1};
  // [0,8] 4: 4 above, too many; [4,8] 6: 2 above, too few; [4,6] 5: 3 above, found.
  EXPECT_EQ(this->bisect(u, 3, kExactCount), 5);
  // [0,8] 4: 4 above, too few; [0,4] 2: 6 above, too many; [2,4] 3: 5 above, found.
  EXPECT_EQ(this->bisect(u, 5, kExactCount), 3);
  // [0,8] 4: 4 above, too many; [4,8] 6: 2, too many; [6,8] 7: 1 above, found.
  EXPECT_EQ(this->bisect(u, 1, kExactCount), 7);
  // [0,8] 4; [0,4] 2: 6; [0,2] 1: 7 above, found.
  EXPECT_EQ(this->bisect(u, 7, kExactCount), 1);
}

TYPED_TEST(Threshold, CountsAtAndBeyondTheEnds) {
  const std::vector<TypeParam> u = {5, -4, 3, 1};
  EXPECT_EQ(this->select(u, 0), 5);
  EXPECT_NEAR(this->bisect(u, 0, kExactCount), 5, 5e-4);  // from below, until it is narrow
  for (const Index count : {Index{4}, Index{5}, std::numeric_limits<Index>::max()}) {
    EXPECT_EQ(this->select(u, count), 0) << count;
    EXPECT_EQ(this->bisect(u, count, kExactCount), 0) << count;
  }
  EXPECT_EQ(this->select({}, 0), 0);
  EXPECT_EQ(this->bisect({}, 0), 0);
}

TYPED_TEST(Threshold, NegativeCountsAreRefused) {
  for (const Index count : {Index{-1}, std::numeric_limits<Index>::min()}) {
    EXPECT_THROW(this->select({5, -4, 3, 1}, count), InvalidOptions) << count;
    EXPECT_THROW(this->bisect({5, -4, 3, 1}, count), InvalidOptions) << count;
    EXPECT_THROW(this->select({}, count), InvalidOptions) << count;
    EXPECT_THROW(this->bisect({}, count), InvalidOptions) << count;
  }
}

TYPED_TEST(Threshold, BisectionStopsWithinTheCountTolerance) {
  const std::vector<TypeParam> u = {8, -7, 6, 5, -4, 3, 2, 1};
  // Margin max(1, 0.01 beta) = 1: the first midpoint leaves 4, which will do for 3, 4 and 5.
  for (const Index beta : {3, 4, 5}) EXPECT_EQ(this->bisect(u, beta), 4) << beta;
  // [0,8] 4: 4 above; [4,8] 6: 2 above, found for 1 and for 2.
  for (const Index beta : {1, 2}) EXPECT_EQ(this->bisect(u, beta), 6) << beta;
  // [0,8] 4: 4 above; [0,4] 2: 6 above, found for 6 and 7.
  for (const Index beta : {6, 7}) EXPECT_EQ(this->bisect(u, beta), 2) << beta;
}

TYPED_TEST(Threshold, BisectionStopsWhereTheIntervalIsNarrow) {
  // 10 1 1 1, two wanted, which no threshold leaves; tolerance 1/4, ends of the interval:
  //   [0,10] 5: 1; [0,5] 2.5: 1; [0,2.5] 1.25: 1; [0,1.25] 0.625: 4; [0.625,1.25] 0.9375: 4;
  //   [0.9375,1.25], (1.25-0.9375)/1.25 = 1/4 is not below 1/4; 1.09375: 1;
  //   [0.9375,1.09375], 0.15625/1.09375 = 1/7: stop; midpoint 1.015625.
  EXPECT_EQ(this->bisect({10, 1, 1, 1}, 2, {.tolerance = 0.25, .count_tolerance = 0}), 1.015625);
}

TYPED_TEST(Threshold, BisectionOfEqualValuesEndsBelowThem) {
  // Four ones, one wanted, margin 1: [0,1] 1/2: 4; [1/2,1] 3/4: 4; ... the lower end goes to
  // 1 - 2^-i until 2^-i < 1e-4: i = 14; midpoint 1 - 2^-15, where all four stay.
  EXPECT_EQ(this->bisect({1, -1, 1, 1}, 1), static_cast<TypeParam>(1 - std::ldexp(1, -15)));
}

TYPED_TEST(Threshold, BisectionToleratesOnePercentOfLargeCounts) {
  std::vector<TypeParam> u(1024);
  Random random(1, Purpose::SyntheticData);
  for (TypeParam& x : u) x = static_cast<TypeParam>(random.normal());
  for (const Index beta : {5, 38, 51, 100, 204, 900}) {
    const Index left = this->above(u, this->bisect(u, beta));
    const double margin = std::max(1.0, 0.01 * static_cast<double>(beta));
    EXPECT_LE(std::abs(static_cast<double>(left - beta)), margin) << beta;
    EXPECT_EQ(this->above(u, this->bisect(u, beta, kExactCount)), beta);
  }
}

// As printed the loop would not end here: lambda_max halves for ever (issue 2).
TYPED_TEST(Threshold, BisectionReturnsZeroWhereNothingNeedsToGo) {
  EXPECT_EQ(this->bisect({3, 0, -2, 0}, 2), 0);
  EXPECT_EQ(this->bisect({3, 0, -2, 0}, 3), 0);
  EXPECT_EQ(this->bisect({3, 0, -2, 0}, 4), 0);
  EXPECT_EQ(this->bisect({3, 0, -2, 0}, 100), 0);
  EXPECT_EQ(this->bisect({0, 0, 0}, 1), 0);
  EXPECT_EQ(this->bisect({0, 0, 0}, 0), 0);
  EXPECT_EQ(this->bisect({5}, 1), 0);
  EXPECT_EQ(this->bisect({0}, 1), 0);
}

TYPED_TEST(Threshold, BisectionEqualsThePlainTwin) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, Purpose::SyntheticData, 2);
    const auto size = static_cast<Index>(1 + random.below(60));
    std::vector<TypeParam> u(static_cast<std::size_t>(size));
    Vector<double> wide(size);
    // Values on a grid of 1/8: ties and zeros happen, and midpoints are exact also in float32.
    for (Index i = 0; i < size; ++i) {
      wide(i) = (static_cast<double>(random.below(65)) - 32) / 8;
      u[i] = static_cast<TypeParam>(wide(i));
    }
    const auto beta = static_cast<Index>(random.below(static_cast<std::uint64_t>(size) + 2));
    const BisectionOptions options = seed % 2 == 0 ? BisectionOptions{} : kExactCount;
    ASSERT_EQ(static_cast<double>(this->bisect(u, beta, options)),
              test::simple_bisection(wide, beta, options))
        << "seed " << seed;
  }
}

TYPED_TEST(Threshold, SelectionIsTheNextLargestValue) {
  const std::vector<TypeParam> u = {1, -5, 3, 2, -4};
  EXPECT_EQ(this->select(u, 0), 5);
  EXPECT_EQ(this->select(u, 1), 4);
  EXPECT_EQ(this->select(u, 2), 3);
  EXPECT_EQ(this->select(u, 3), 2);
  EXPECT_EQ(this->select(u, 4), 1);
  EXPECT_EQ(this->select(u, 5), 0);
  EXPECT_EQ(this->select(u, 6), 0);
}

TYPED_TEST(Threshold, SelectionKeepsTiedValuesTogether) {
  EXPECT_EQ(this->select({5, 3, -3, 3, 1}, 2), 1) << "3 would leave one: all three stay";
  EXPECT_EQ(this->select({5, 3, -3, 3, 1}, 3), 1);
  EXPECT_EQ(this->select({5, 3, -3, 3, 1}, 1), 3) << "3 leaves exactly one";
  EXPECT_EQ(this->select({5, 5, 3, 3}, 2), 3) << "3 leaves exactly two";
  EXPECT_EQ(this->select({5, 3, 3, 0, 0}, 2), 0) << "the next smaller value is zero";
}

TYPED_TEST(Threshold, SelectionOfEqualValuesKeepsAll) {
  EXPECT_EQ(this->select({2, -2, 2}, 1), 0);
  EXPECT_EQ(this->select({2, -2, 2}, 2), 0);
  EXPECT_EQ(this->select({2, -2, 2}, 3), 0);
}

TYPED_TEST(Threshold, SelectionOfZerosIsZero) {
  EXPECT_EQ(this->select({0, 0, 0}, 1), 0);
  EXPECT_EQ(this->select({0, 7, 0}, 1), 0);
  EXPECT_EQ(this->select({0, 7, 0}, 2), 0);
  EXPECT_EQ(this->select({0}, 1), 0);
  EXPECT_EQ(this->select({4}, 1), 0);
}

TYPED_TEST(Threshold, SelectionEqualsSorting) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, Purpose::SyntheticData, 3);
    const auto size = static_cast<Index>(1 + random.below(80));
    const std::uint64_t levels = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 20 : 1000000;
    std::vector<TypeParam> u(static_cast<std::size_t>(size));
    Vector<double> wide(size);
    for (Index i = 0; i < size; ++i) {
      wide(i) = static_cast<double>(random.below(levels)) - static_cast<double>(levels / 2);
      u[i] = static_cast<TypeParam>(wide(i));
    }
    const auto beta = static_cast<Index>(random.below(static_cast<std::uint64_t>(size) + 2));
    ASSERT_EQ(static_cast<double>(this->select(u, beta)), test::simple_selection(wide, beta))
        << "seed " << seed;
  }
}

TYPED_TEST(Threshold, SelectionLeavesTheExactCountWithoutTies) {
  std::vector<TypeParam> u(1000);
  Random random(4, Purpose::SyntheticData);
  for (TypeParam& x : u) x = static_cast<TypeParam>(random.normal());
  for (const Index beta : {1, 5, 51, 204, 999}) {
    EXPECT_EQ(this->above(u, this->select(u, beta)), beta);
  }
}

}  // namespace
}  // namespace nodl
