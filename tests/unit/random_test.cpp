// Random numbers: the generator itself against published vectors, then the distributions.
#include "nodl/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace nodl {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// kat_vectors of Random123 (Salmon et al., SC 2011), philox4x32-10.
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<double> uniforms(Random random, int count) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(random.uniform());
  return list;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - 0.5) * (y[i] - 0.5);
  return sum * 12 / static_cast<double>(x.size());  // the variance of a uniform is 1/12
}

constexpr int kDraws = 100000;
// Five standard deviations of a mean of kDraws draws with unit variance: chance 6e-7 to fail, and
// the seeds are fixed.
const double kFiveSigma = 5 / std::sqrt(kDraws);

TEST(Random, SameKeySameDraws) {
  EXPECT_EQ(uniforms(Random(7, Purpose::NewbornAtom, 3, 4), 100),
            uniforms(Random(7, Purpose::NewbornAtom, 3, 4), 100));
}

TEST(Random, UniformStaysInsideTheOpenInterval) {
  for (const double u : uniforms(Random(1, Purpose::SyntheticData), kDraws)) {
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
  }
}

TEST(Random, UniformHasTheMomentsOfAUniform) {
  double mean = 0, square = 0;
  for (const double u : uniforms(Random(2, Purpose::SyntheticData), kDraws)) {
    mean += u / kDraws;
    square += u * u / kDraws;
  }
  EXPECT_NEAR(mean, 1.0 / 2, kFiveSigma / std::sqrt(12));
  EXPECT_NEAR(square, 1.0 / 3, kFiveSigma * std::sqrt(4.0 / 45));
}

TEST(Random, UniformFillsEqualCellsEqually) {
  constexpr int kCells = 64;
  std::vector<int> hits(kCells);
  for (const double u : uniforms(Random(3, Purpose::SyntheticData), kDraws)) {
    ++hits[static_cast<std::size_t>(u * kCells)];
  }
  double chi2 = 0;
  const double expected = static_cast<double>(kDraws) / kCells;
  for (const int count : hits) chi2 += (count - expected) * (count - expected) / expected;
  // chi^2 with 63 degrees: mean 63, deviation sqrt(126).
  EXPECT_NEAR(chi2, 63, 5 * std::sqrt(126));
}

TEST(Random, NormalHasTheMomentsOfANormal) {
  Random random(4, Purpose::SyntheticData);
  double mean = 0, square = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    ASSERT_TRUE(std::isfinite(z));
    mean += z / kDraws;
    square += z * z / kDraws;
    fourth += z * z * z * z / kDraws;
  }
  EXPECT_NEAR(mean, 0, kFiveSigma);
  EXPECT_NEAR(square, 1, kFiveSigma * std::sqrt(2));
  EXPECT_NEAR(fourth, 3, kFiveSigma * std::sqrt(96));
}

TEST(Random, BelowIsInRangeAndFair) {
  Random random(5, Purpose::ChooseSamples);
  constexpr int kBound = 7;
  std::vector<int> hits(kBound);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(kBound);
    ASSERT_LT(value, static_cast<std::uint64_t>(kBound));
    ++hits[value];
  }
  const double p = 1.0 / kBound;
  for (const int count : hits) {
    EXPECT_NEAR(count, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)));
  }
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BelowIsFairForHugeBounds) {
  // A plain `bits() % bound` would make the lower half of this bound twice as likely.
  Random random(6, Purpose::ChooseSamples);
  const std::uint64_t bound = 3ULL << 62;
  int low = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(bound);
    ASSERT_LT(value, bound);
    low += value < bound / 3;
  }
  EXPECT_NEAR(low, kDraws / 3.0, 5 * std::sqrt(kDraws * 2.0 / 9));
}

TEST(Random, NeighbouringStreamsAreUncorrelated) {
  const std::vector<double> base = uniforms(Random(8, Purpose::NewbornAtom, 5, 6), kDraws);
  EXPECT_NEAR(
      correlation(base, uniforms(Random(9, Purpose::NewbornAtom, 5, 6), kDraws)), 0, kFiveSigma);
  EXPECT_NEAR(
      correlation(base, uniforms(Random(8, Purpose::RedrawnAtom, 5, 6), kDraws)), 0, kFiveSigma);
  EXPECT_NEAR(
      correlation(base, uniforms(Random(8, Purpose::NewbornAtom, 6, 6), kDraws)), 0, kFiveSigma);
  EXPECT_NEAR(
      correlation(base, uniforms(Random(8, Purpose::NewbornAtom, 5, 7), kDraws)), 0, kFiveSigma);
}

TEST(Random, StreamsNeverShareTheirFirstDraws) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  const std::uint64_t high = 1ULL << 32;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, high, high + 1}) {
    for (const Purpose purpose :
         {Purpose::InitialAtom, Purpose::NewbornAtom, Purpose::SyntheticAtom}) {
      for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, high, high + 1}) {
        for (const std::uint32_t second : {0u, 1u, 0xffffffffu}) {
          Random random(seed, purpose, first, second);
          for (int i = 0; i < 10; ++i, ++drawn) seen.insert(random.bits());
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

}  // namespace
}  // namespace nodl
