// Scores of codes, their means over samples and batches: hand values, and no NaN for any input.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nodl/metrics.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

template <class Scalar>
class Score : public ::testing::Test {
 protected:
  // Sums of a few products, each rounded once, divided by one another.
  static constexpr double kRounding = 32 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Score, Scalars);

// Two atoms, two samples, everything by hand.
TYPED_TEST(Score, RawAtomsByHand) {
  Matrix<TypeParam> D(3, 2), X(3, 2);
  D << 1, 0, 0, 1, 0, 0;
  X << 2, 0, 1, 3, 0, 0;
  Codes<TypeParam> codes;
  codes.columns.rows = 2;
  codes.columns.push(0, 2);  // x^ = (2, 0, 0)
  codes.columns.end_column();
  codes.columns.push(1, 1);  // x^ = (0, 1, 0)
  codes.columns.end_column();
  codes.lambda = {0, 0};
  const auto dictionary = test::dictionary_of<TypeParam>(D);
  const CodingDictionary<TypeParam> coding(dictionary, AtomNorm::Raw);
  ThreadPool pool;
  const Scores scores =
      score(coding, Batch<TypeParam>::dense(X), codes, Correlations::PearsonAndSpearman, pool);
  ASSERT_EQ(scores.pearson.size(), 2u);
  // Deviations (1, 0, -1) and (4, -2, -2) / 3: 2 / sqrt(2 * 8/3).
  EXPECT_NEAR(scores.pearson[0], 2 / std::sqrt(16.0 / 3), this->kRounding);
  EXPECT_NEAR(scores.pearson[1], 1, this->kRounding);
  // Ranks (3, 2, 1) and (3, 1.5, 1.5): 1.5 / sqrt(2 * 1.5).
  EXPECT_NEAR(scores.spearman[0], 1.5 / std::sqrt(3.0), this->kRounding);
  EXPECT_NEAR(scores.spearman[1], 1, this->kRounding);
  EXPECT_NEAR(scores.squared_error[0], 1, this->kRounding);
  EXPECT_NEAR(scores.squared_error[1], 4, 4 * this->kRounding);
  EXPECT_NEAR(scores.deviation[0], 2, 2 * this->kRounding);
  EXPECT_NEAR(scores.deviation[1], 6, 6 * this->kRounding);

  Evaluator evaluator;
  evaluator.add(scores, 3, 2);
  const Evaluation e = evaluator.result();
  EXPECT_EQ(e.samples, 2);
  EXPECT_NEAR(e.mse, 5.0 / 6, this->kRounding);
  EXPECT_NEAR(e.explained_variance, 1 - 5.0 / 8, this->kRounding);
  EXPECT_NEAR(e.code_nonzeros, 1, this->kRounding);
  EXPECT_NEAR(e.pearson, (scores.pearson[0] + scores.pearson[1]) / 2, this->kRounding);
}

// With centred atoms MSE is | (x - mean) - D1 c |^2 / m (PAPER_VS_CODE 2.4).
TYPED_TEST(Score, CentredAtomsReconstructTheSampleWithItsMean) {
  const Matrix<double> wide = test::gaussian(12, 5, 3);
  const Matrix<double> samples = test::gaussian(12, 4, 4).array() + 10;
  const Matrix<TypeParam> X = samples.cast<TypeParam>();
  const Matrix<double> D1 = test::simple_normalised(wide, AtomNorm::Centered);
  Codes<TypeParam> codes;
  codes.columns.rows = 5;
  Matrix<double> C = Matrix<double>::Zero(5, 4);
  for (Index n = 0; n < 4; ++n) {
    for (const Index j : {n, n + 1}) {
      C(j, n) = 0.5 * static_cast<double>(j) - 1.25;
      codes.columns.push(j, static_cast<TypeParam>(C(j, n)));
    }
    codes.columns.end_column();
  }
  codes.lambda.assign(4, 0);
  ThreadPool pool;
  for (const Index sparse_count : {0, 3, 5}) {
    const auto dictionary = test::dictionary_of<TypeParam>(wide.cast<TypeParam>(), sparse_count);
    const CodingDictionary<TypeParam> coding(dictionary, AtomNorm::Centered);
    const Scores scores =
        score(coding, Batch<TypeParam>::dense(X), codes, Correlations::Pearson, pool);
    EXPECT_TRUE(scores.spearman.empty());
    for (Index n = 0; n < 4; ++n) {
      const Vector<double> centred = samples.col(n).array() - samples.col(n).mean();
      const double expected = (centred - D1 * C.col(n)).squaredNorm();
      // Samples near 10 in float32 carry eps * 10 each.
      const double slack = 40 * this->kRounding * 10;
      EXPECT_NEAR(scores.squared_error[n], expected, slack) << sparse_count;
      EXPECT_NEAR(scores.deviation[n], centred.squaredNorm(), slack);
      const Vector<double> rebuilt = D1 * C.col(n);
      const double r = centred.dot(rebuilt) / (centred.norm() * rebuilt.norm());
      EXPECT_NEAR(scores.pearson[n], r, slack);
    }
  }
}

TYPED_TEST(Score, SparseBatchesScoreLikeTheirDenseCopies) {
  const Matrix<TypeParam> X = test::sparse_gaussian(30, 8, 6, 5).cast<TypeParam>();
  const SparseMatrix<TypeParam> sparse = test::to_sparse<TypeParam>(X);
  const Matrix<TypeParam> D = test::sparse_gaussian(30, 10, 5, 6).cast<TypeParam>();
  const auto dictionary = test::dictionary_of<TypeParam>(D, 6);
  ThreadPool pool;
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    const CodingDictionary<TypeParam> coding(dictionary, norm);
    const CodingOptions options = test::with_count(Coder::Lars, 4, norm);
    const auto codes = encode(coding, Batch<TypeParam>::dense(X), options, {}, pool);
    const Scores a =
        score(coding, Batch<TypeParam>::dense(X), codes, Correlations::PearsonAndSpearman, pool);
    const Scores b = score(
        coding, Batch<TypeParam>::sparse(sparse), codes, Correlations::PearsonAndSpearman, pool);
    for (std::size_t n = 0; n < 8; ++n) {
      EXPECT_NEAR(a.pearson[n], b.pearson[n], 4 * this->kRounding);
      // Centred, entries that are equal in exact arithmetic may differ by a rounding and so in
      // rank; the two batches must at least see the same reconstruction.
      EXPECT_NEAR(a.spearman[n], b.spearman[n], 4 * this->kRounding) << name_of(norm);
      EXPECT_NEAR(a.squared_error[n], b.squared_error[n], 30 * this->kRounding);
      EXPECT_NEAR(a.deviation[n], b.deviation[n], 30 * this->kRounding);
    }
  }
}

TYPED_TEST(Score, ZeroCodesAndConstantSamplesScoreZero) {
  Matrix<TypeParam> X(6, 3);
  X.col(0).setZero();
  X.col(1).setConstant(static_cast<TypeParam>(0.1));
  X.col(2) << 1, 2, 3, 4, 5, 6;
  const Matrix<TypeParam> D = test::gaussian(6, 4, 7).cast<TypeParam>();
  const auto dictionary = test::dictionary_of<TypeParam>(D);
  Codes<TypeParam> codes;
  codes.columns.rows = 4;
  codes.columns.end_column();
  codes.columns.push(1, 1);
  codes.columns.end_column();
  codes.columns.end_column();
  codes.lambda.assign(3, 0);
  ThreadPool pool;
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    const CodingDictionary<TypeParam> coding(dictionary, norm);
    const Scores scores =
        score(coding, Batch<TypeParam>::dense(X), codes, Correlations::PearsonAndSpearman, pool);
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(scores.pearson[n], 0) << n;
      EXPECT_EQ(scores.spearman[n], 0) << n;
      EXPECT_TRUE(std::isfinite(scores.squared_error[n]));
    }
    EXPECT_EQ(scores.deviation[0], 0);
  }
}

TEST(Evaluator, PoolsBatchesOfDifferentSizes) {
  Evaluator evaluator;
  evaluator.add({{1.0, 0.5}, {1.0, 0.0}, {2.0, 4.0}, {10.0, 10.0}}, 2, 3);
  evaluator.add({{0.0}, {0.5}, {6.0}, {4.0}}, 2, 3);
  const Evaluation e = evaluator.result();
  EXPECT_EQ(e.samples, 3);
  EXPECT_DOUBLE_EQ(e.pearson, 0.5);
  EXPECT_DOUBLE_EQ(e.spearman, 0.5);
  EXPECT_DOUBLE_EQ(e.mse, 2);  // 12 / (3 samples * 2 coordinates)
  EXPECT_DOUBLE_EQ(e.explained_variance, 0.5);
  EXPECT_DOUBLE_EQ(e.code_nonzeros, 2);
}

TEST(Evaluator, IsFiniteWithoutSamplesAndWithConstantOnes) {
  Evaluator evaluator;
  const auto finite = [](const Evaluation& e) {
    return std::isfinite(e.pearson) && std::isfinite(e.spearman) && std::isfinite(e.mse) &&
           std::isfinite(e.explained_variance) && std::isfinite(e.code_nonzeros);
  };
  EXPECT_TRUE(finite(evaluator.result()));
  evaluator.add({{0.0}, {0.0}, {0.0}, {0.0}}, 5, 0);
  EXPECT_TRUE(finite(evaluator.result()));
}

}  // namespace
}  // namespace nodl
