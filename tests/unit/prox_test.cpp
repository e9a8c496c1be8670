// Alg.1 steps 15-17: hand cases, then the optimality conditions of each step and of their
// composition, which is the proximal map of the sum.
#include "nodl/prox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nodl/random.h"
#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class Prox : public ::testing::Test {
 protected:
  using Column = std::vector<Scalar>;

  static double norm(const Column& v) {  // more digits than what it judges
    long double sum = 0;
    for (const Scalar x : v) sum += static_cast<long double>(x) * x;
    return static_cast<double>(std::sqrt(sum));
  }
  static bool is_zero(const Column& v) {
    for (const Scalar x : v) {
      if (x != 0) return false;
    }
    return true;
  }
  static Column draw(Index size, double scale, std::uint64_t seed) {
    Random random(seed, Purpose::SyntheticData, 1);
    Column v(static_cast<std::size_t>(size));
    for (Scalar& x : v) x = static_cast<Scalar>(scale * random.normal());
    return v;
  }
  // One rounding an operation; columns here have at most 50 entries.
  static constexpr double kRounding = 64 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Prox, Scalars);

TYPED_TEST(Prox, SoftThresholdByHand) {
  std::vector<TypeParam> u = {3, -2, 1, -1, 0.5, 0, -0.25};
  soft_threshold<TypeParam>(u, 1);
  EXPECT_EQ(u, (std::vector<TypeParam>{2, -1, 0, 0, 0, 0, 0}));
}

TYPED_TEST(Prox, SoftThresholdWithZeroChangesNothing) {
  std::vector<TypeParam> u = {3, -2, 0, 1e-30f};
  const auto before = u;
  soft_threshold<TypeParam>(u, 0);
  EXPECT_EQ(u, before);
}

TYPED_TEST(Prox, GroupShrinkByHand) {
  std::vector<TypeParam> v = {3, -4};  // norm 5
  group_shrink<TypeParam>(v, 2.5);
  EXPECT_NEAR(v[0], 1.5, this->kRounding);
  EXPECT_NEAR(v[1], -2, this->kRounding);
}

TYPED_TEST(Prox, GroupShrinkIsExactlyZeroAtTheThreshold) {
  std::vector<TypeParam> v = {3, -4};
  group_shrink<TypeParam>(v, 5);
  EXPECT_TRUE(this->is_zero(v));
  std::vector<TypeParam> below = {3, -4};
  group_shrink<TypeParam>(below, 6);
  EXPECT_TRUE(this->is_zero(below));
}

TYPED_TEST(Prox, GroupShrinkWithZeroPenaltyChangesNothing) {
  std::vector<TypeParam> v = {0.1f, -0.7f, 0};
  const auto before = v;
  group_shrink<TypeParam>(v, 0);
  EXPECT_EQ(v, before);
}

TYPED_TEST(Prox, ZeroColumnsStayZero) {
  std::vector<TypeParam> zero(4, 0);
  soft_threshold<TypeParam>(zero, 0);
  group_shrink<TypeParam>(zero, 0);  // 0 / 0 if written as printed
  group_shrink<TypeParam>(zero, 1);
  project_to_ball<TypeParam>(zero);
  EXPECT_TRUE(this->is_zero(zero));
}

TYPED_TEST(Prox, EmptyColumnsAreFine) {
  std::vector<TypeParam> none;
  soft_threshold<TypeParam>(none, 1);
  group_shrink<TypeParam>(none, 1);
  project_to_ball<TypeParam>(none);
  EXPECT_TRUE(none.empty());
}

TYPED_TEST(Prox, BallLeavesShortColumnsUntouched) {
  std::vector<TypeParam> w = {0.6f, -0.7f};
  const auto before = w;
  project_to_ball<TypeParam>(w);
  EXPECT_EQ(w, before);
}

TYPED_TEST(Prox, BallScalesLongColumnsToUnitNorm) {
  std::vector<TypeParam> w = {3, -4, 0};
  project_to_ball<TypeParam>(w);
  EXPECT_NEAR(w[0], 0.6, this->kRounding);
  EXPECT_NEAR(w[1], -0.8, this->kRounding);
  EXPECT_EQ(w[2], 0);
}

TYPED_TEST(Prox, NormsNeverExceedOneByMoreThanFourEpsilon) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto w = this->draw(1 + static_cast<Index>(seed) * 5, std::pow(10, seed % 9) * 0.01, seed);
    project_to_ball<TypeParam>(w);
    ASSERT_LE(this->norm(w) - 1, 4 * test::epsilon<TypeParam>()) << "seed " << seed;
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {  // an image of 100 x 100
    auto w = this->draw(10000, 1, seed);
    project_to_ball<TypeParam>(w);
    ASSERT_LE(this->norm(w) - 1, 4 * test::epsilon<TypeParam>()) << "seed " << seed;
  }
}

TYPED_TEST(Prox, HugeColumnsAreScaledDownToo) {
  const auto huge = static_cast<TypeParam>(std::ldexp(1, 100));  // its square overflows in float32
  std::vector<TypeParam> w = {3 * huge, -4 * huge};
  project_to_ball<TypeParam>(w);
  EXPECT_NEAR(w[0], 0.6, this->kRounding);
  EXPECT_NEAR(w[1], -0.8, this->kRounding);
}

// d = ball(group(soft(u))) minimises 1/2 |d - u|^2 + l1 |d|_1 + lg |d|_2 over |d| <= 1 if and only
// if
//   d = 0:  |soft(u, l1)|_2 <= lg;
//   d != 0: where d_i = 0, |u_i| <= l1; elsewhere u_i - l1 sgn(d_i) = q d_i with one q for all i,
//           q = 1 + lg / |d| if |d| < 1, and q >= 1 + lg if |d| = 1 (multiplier of the ball >= 0).
TYPED_TEST(Prox, CompositionIsTheProximalMapOfTheSum) {
  const double eps = test::epsilon<TypeParam>();
  int inside = 0, on_the_ball = 0, dead = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double scale = std::array{0.05, 0.3, 3.0}[seed % 3];
    const auto l1 = static_cast<TypeParam>(scale * std::array{0.0, 0.5, 1.5}[seed / 3 % 3]);
    const auto lg = static_cast<TypeParam>(std::array{0.0, 0.03, 0.3}[seed / 9 % 3]);
    const auto u = this->draw(20, scale, seed);
    auto d = u;
    soft_threshold<TypeParam>(d, l1);
    group_shrink<TypeParam>(d, lg);
    project_to_ball<TypeParam>(d);
    const double length = this->norm(d);
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (length == 0) {
      ++dead;
      double soft = 0;
      for (const TypeParam x : u) {
        const double excess = std::max(0.0, std::abs(static_cast<double>(x)) - l1);
        soft += excess * excess;
      }
      ASSERT_LE(std::sqrt(soft), lg * (1 + 64 * eps));
      continue;
    }
    const bool bound = length > 1 - 8 * eps;
    ++(bound ? on_the_ball : inside);
    // q from the largest entry, where it is most accurate.
    std::size_t largest = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (std::abs(d[i]) > std::abs(d[largest])) largest = i;
    }
    const auto shrunk = [&](std::size_t i) {
      return static_cast<double>(u[i]) - (d[i] > 0 ? 1 : -1) * static_cast<double>(l1);
    };
    const double q = shrunk(largest) / d[largest];
    const double slack = 64 * eps * q;
    if (bound) {
      ASSERT_GE(q, 1 + lg - slack);
    } else {
      ASSERT_NEAR(q, 1 + lg / length, slack);
    }
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (d[i] == 0) {
        // An entry can round to zero only if it was within rounding of the threshold.
        ASSERT_LE(std::abs(static_cast<double>(u[i])), l1 * (1 + 2 * eps));
      } else {
        ASSERT_NEAR(shrunk(i), q * d[i], 64 * eps * scale * 4);
      }
    }
  }
  EXPECT_GT(inside, 20);  // the three cases are all met
  EXPECT_GT(on_the_ball, 20);
  EXPECT_GT(dead, 20);
}

}  // namespace
}  // namespace nodl
