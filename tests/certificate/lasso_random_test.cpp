// Hundreds of small random LASSO problems of every nasty kind, with fixed seeds: the promise holds
// for all of them, with a given lambda and with a given count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

enum class Kind {
  Gaussian,
  Binary,
  Integer,
  Duplicated,
  NearlyDuplicated,
  Correlated,
  Sparse,
  Scaled,
  LowRank
};
constexpr int kKinds = 9;
const char* const kNames[kKinds] = {"gaussian",
                                    "binary",
                                    "integer",
                                    "duplicated",
                                    "nearly duplicated",
                                    "correlated",
                                    "sparse",
                                    "badly scaled",
                                    "low rank"};

Matrix<double> atoms_of(Kind kind, Index m, Index k, Random& random, std::uint64_t seed) {
  Matrix<double> D = test::gaussian(m, k, seed);
  switch (kind) {
    case Kind::Gaussian:
      break;
    case Kind::Binary:
      return test::binary_samples(m, 0, m, std::max<Index>(1, m / 5), k, seed);
    case Kind::Integer:
      return D.unaryExpr([](double value) { return std::round(value); });
    case Kind::Duplicated:
    case Kind::NearlyDuplicated: {
      const Matrix<double> noise = test::gaussian(m, k, seed + 1);
      const double distance = kind == Kind::Duplicated ? 0 : 1e-6;
      for (Index j = k / 3; j < k; ++j) {
        D.col(j) = (random.below(2) == 0 ? 1 : -1) * D.col(random.below(1 + k / 3)) +
                   distance * noise.col(j);
      }
      break;
    }
    case Kind::Correlated:  // pairwise 0.99
      D = 0.1 * D;
      D.colwise() += test::gaussian(m, 1, seed + 1).col(0);
      break;
    case Kind::Sparse:
      return test::sparse_gaussian(m, k, std::max<Index>(1, m / 8), seed);
    case Kind::Scaled:
      for (Index j = 0; j < k; ++j) D.col(j) *= std::pow(10, 6 * random.uniform() - 3);
      break;
    case Kind::LowRank: {
      const Index rank = std::max<Index>(1, std::min(m, k) / 4);
      return test::gaussian(m, rank, seed) * test::gaussian(rank, k, seed + 1);
    }
  }
  return D;
}

// Generic, with equal values, of two atoms, binary, constant; at any scale.
Matrix<double> samples_of(const Matrix<double>& D, Random& random, std::uint64_t seed) {
  const Index m = D.rows();
  Matrix<double> X(m, 6);
  X.leftCols(2) = test::gaussian(m, 2, seed + 3);
  X.col(2) = X.col(0).unaryExpr([](double value) { return std::round(value); });
  X.col(3) = D.col(0) + D.col(D.cols() / 2);
  X.col(4) = test::binary_samples(m, 0, m, std::max<Index>(1, m / 4), 1, seed + 4).col(0);
  X.col(5).setOnes();
  if (random.below(4) == 0) X *= std::pow(10, 8 * random.uniform() - 4);
  return X;
}

template <class Scalar>
class RandomLasso : public ::testing::Test {
 protected:
  static constexpr bool kWide = sizeof(Scalar) == 8;

  void check(std::uint64_t seed, Coder coder, bool by_count) {
    Random random(seed, Purpose::SyntheticData, 99);
    const auto m = static_cast<Index>(1 + random.below(40));
    const auto k = static_cast<Index>(2 + random.below(60));
    const auto kind = static_cast<Kind>(random.below(kKinds));
    const auto norm = static_cast<AtomNorm>(random.below(3));
    const Matrix<double> D = atoms_of(kind, m, k, random, seed);
    const Matrix<Scalar> X = samples_of(D, random, seed).template cast<Scalar>();
    const auto dictionary =
        test::dictionary_of<Scalar>(D.cast<Scalar>(), random.below(2) == 0 ? 0 : k);
    const CodingDictionary<Scalar> coding(dictionary, norm);
    const Matrix<double> D1 = coding.to_dense().template cast<double>();
    const Matrix<double> X2 = X.template cast<double>();
    const auto count = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(k) - 1));
    // Atoms 1e-6 apart are told apart by lambdas that are not too small, only.
    const bool near = kind == Kind::NearlyDuplicated;
    if (near && (by_count || !kWide)) return;
    const double lambda = (D1.transpose() * X2).cwiseAbs().maxCoeff() *
                          std::pow(10, (near ? -2 : -4) * random.uniform());
    const CodingOptions options =
        by_count ? test::with_count(coder, count, norm) : test::with_lambda(coder, lambda, norm);
    const auto codes = encode(coding, Batch<Scalar>::dense(X), options, {}, pool_);
    const Matrix<double> C = codes.columns.to_dense().template cast<double>();
    ASSERT_TRUE(C.allFinite());
    for (Index i = 0; i < X.cols(); ++i) {
      const auto reached = static_cast<double>(codes.lambda[i]);
      const test::LassoConditions c = test::lasso_conditions(D1, X2.col(i), C.col(i), reached);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + kNames[static_cast<int>(kind)] + ", " +
                   std::string(name_of(norm)) + ", m " + std::to_string(m) + ", k " +
                   std::to_string(k) + ", sample " + std::to_string(i) + ", lambda/max " +
                   std::to_string(reached / c.lambda_max) +
                   (by_count ? ", count " + std::to_string(count) : ""));
      const double largest_atom = std::max(1.0, D1.colwise().norm().maxCoeff());
      if (c.lambda_max <= 1e3 * test::epsilon<Scalar>() * X2.col(i).norm() * largest_atom) {
        continue;  // correlated with nothing but rounding: a constant sample and centred atoms
      }
      // The check is made in double; and a float32 code can be no better than its own rounding.
      const double rounding =
          kWide ? 4 * c.rounding : c.rounding * test::epsilon<float>() / test::epsilon<double>();
      EXPECT_LE(c.violation, test::promised_violation<Scalar>(reached, c.lambda_max) + rounding);
      if (kWide && !by_count && !near) {
        EXPECT_LE(c.gap,
                  1e-8 * c.objective + 64 * test::epsilon<double>() * X2.col(i).squaredNorm());
      }
      if (!by_count) continue;
      EXPECT_LE(c.nonzeros, count);
      if (coder == Coder::Lars && c.nonzeros < count) {
        // The path has come to its end, or atoms that tie would all enter at once.
        const bool at_the_end = reached <= (kWide ? 1e-9 : 2e-4) * c.lambda_max;
        const bool tie = c.largest_inactive >= reached * (1 - (kWide ? 1e-6 : 1e-3));
        EXPECT_TRUE(at_the_end || tie) << c.nonzeros << " nonzeros";
      }
    }
  }
  ThreadPool pool_;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RandomLasso, Scalars);

constexpr std::uint64_t kSeeds = 400;

TYPED_TEST(RandomLasso, LarsAtAGivenLambda) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) this->check(seed, Coder::Lars, false);
}

TYPED_TEST(RandomLasso, LarsWithACount) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) this->check(seed, Coder::Lars, true);
}

TYPED_TEST(RandomLasso, CdAtAGivenLambda) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) this->check(seed, Coder::Cd, false);
}

TYPED_TEST(RandomLasso, CdWithACount) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) this->check(seed, Coder::Cd, true);
}

// Found by searching: ties leave coefficients of 1e-16 with the wrong sign, which are not zero, and
// so violate the conditions by 2 lambda.
TEST(RandomLassoDouble, TiesLeaveNoDust) {
  Matrix<double> D(4, 9);
  D << 1, 1, 1, 1, 0, 1, 1, 1, 0,  //
      1, 0, 1, 0, 0, 1, 0, 0, 1,   //
      0, 0, 0, 1, 1, 0, 0, 0, 0,   //
      0, 1, 0, 0, 1, 0, 1, 1, 1;
  const Matrix<double> X = Matrix<double>::Ones(4, 1);
  const auto dictionary = test::dictionary_of<double>(D);
  const CodingDictionary<double> coding(dictionary, AtomNorm::Raw);
  ThreadPool pool;
  for (const Coder coder : {Coder::Lars, Coder::Cd}) {
    const auto codes =
        encode(coding, Batch<double>::dense(X), test::with_lambda(coder, 0.0166882), {}, pool);
    const Vector<double> c = codes.columns.to_dense().col(0);
    EXPECT_LE(test::lasso_conditions(D, X.col(0), c, 0.0166882).violation, 1.6e-8)
        << name_of(coder);
  }
}

// Found by searching: two atoms tie at lambda_max and only one of them enters. 3 of 4 atoms are in
// the code from lambda 0.4 down to where the fourth enters, near 0.1.
TEST(RandomLassoDouble, TiesAtTheStartDoNotEndThePathEarly) {
  Matrix<double> D(4, 4);
  D << 1, 1, 1, 0,  //
      1, 0, 1, 0,   //
      0, 0, 1, 1,   //
      1, 1, 0, 1;
  Matrix<double> X(4, 1);
  X << 2, 0, 0, 1;
  const auto dictionary = test::dictionary_of<double>(D);
  const CodingDictionary<double> coding(dictionary, AtomNorm::Raw);
  ThreadPool pool;
  const auto codes =
      encode(coding, Batch<double>::dense(X), test::with_count(Coder::Lars, 3), {}, pool);
  const auto c =
      test::lasso_conditions(D, X.col(0), codes.columns.to_dense().col(0), codes.lambda[0]);
  EXPECT_EQ(c.nonzeros, 3);
  EXPECT_NEAR(c.largest_inactive, codes.lambda[0], 1e-9) << "the fourth is about to enter";
}

}  // namespace
}  // namespace nodl
