// Non-negative codes by `lars` and `cd`:  min_a 1/2 |x - D a|^2 + lambda sum a,  a >= 0.
// Conditions, with g = D^T (x - D a):  a_j > 0: g_j = lambda;  a_j = 0: g_j <= lambda. To the
// bounds of PRODUCT.md's first promise, in double arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"

namespace nodl {
namespace {

struct PositiveConditions {
  double violation = 0;
  double lambda_max = 0;  // the smallest lambda whose code is zero
  Index nonzeros = 0;
};

PositiveConditions conditions(const Matrix<double>& D,
                              const Vector<double>& x,
                              const Vector<double>& a,
                              double lambda) {
  PositiveConditions result;
  const Vector<double> g = D.transpose() * (x - D * a);
  for (Index j = 0; j < D.cols(); ++j) {
    const double off = a(j) != 0 ? std::abs(g(j) - lambda) : g(j) - lambda;
    result.violation = std::max(result.violation, off);
    result.nonzeros += a(j) != 0;
  }
  result.lambda_max = std::max(0.0, (D.transpose() * x).maxCoeff());
  return result;
}

template <class Scalar>
struct Solved {
  Matrix<double> D1, X, C;
  std::vector<Scalar> lambda;
};

template <class Scalar>
Solved<Scalar> solve(const test::Problem& problem, Index sparse_count, CodingOptions options) {
  options.positive_code = true;
  ThreadPool pool(2);
  const Matrix<Scalar> X = problem.samples.cast<Scalar>();
  const auto dictionary = test::dictionary_of<Scalar>(problem.atoms.cast<Scalar>(), sparse_count);
  const CodingDictionary<Scalar> coding(dictionary, options.atom_norm);
  const Codes<Scalar> codes = encode(coding, Batch<Scalar>::dense(X), options, {}, pool);
  return {coding.to_dense().template cast<double>(),
          X.template cast<double>(),
          codes.columns.to_dense().template cast<double>(),
          codes.lambda};
}

template <class Scalar>
void expect_optimal(const Solved<Scalar>& solved, Index most_nonzeros) {
  for (Index n = 0; n < solved.X.cols(); ++n) {
    SCOPED_TRACE("sample " + std::to_string(n));
    const double lambda = static_cast<double>(solved.lambda[n]);
    const Vector<double> x = solved.X.col(n), a = solved.C.col(n);
    ASSERT_TRUE(std::isfinite(lambda) && a.allFinite());
    EXPECT_GE(a.minCoeff(), 0);
    const PositiveConditions c = conditions(solved.D1, x, a, lambda);
    EXPECT_LE(c.nonzeros, most_nonzeros);
    const double noise = 64 * test::epsilon<Scalar>() * x.norm() *
                         std::max(1.0, solved.D1.colwise().norm().maxCoeff());
    if (c.lambda_max <= noise) continue;  // correlated with nothing but rounding
    EXPECT_LE(c.violation, test::promised_violation<Scalar>(lambda, c.lambda_max))
        << "lambda " << lambda << ", lambda_max " << c.lambda_max << ", nonzeros " << c.nonzeros;
  }
}

template <class Check>
void for_all_dictionaries(Check check) {
  for (const test::Problem& problem : test::lasso_problems()) {
    for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
      for (const Index sparse_count : {Index{0}, problem.atoms.cols()}) {
        for (const Coder coder : {Coder::Lars, Coder::Cd}) {
          SCOPED_TRACE(problem.name + ", " + std::string(name_of(norm)) + ", " +
                       std::string(name_of(coder)) + ", " + std::to_string(sparse_count) +
                       " atoms stored sparse");
          check(problem, sparse_count, norm, coder);
        }
      }
    }
  }
}

template <class Scalar>
class PositiveCode : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PositiveCode, Scalars);

TYPED_TEST(PositiveCode, IsOptimalAtAGivenLambda) {
  for_all_dictionaries(
      [](const test::Problem& problem, Index sparse_count, AtomNorm norm, Coder coder) {
        const double scale = (problem.atoms.transpose() * problem.samples).cwiseAbs().maxCoeff();
        for (const double fraction : {0.3, 0.03, 1e-4}) {
          const auto solved = solve<TypeParam>(
              problem, sparse_count, test::with_lambda(coder, fraction * scale, norm));
          expect_optimal(solved, problem.atoms.cols());
          for (const TypeParam reported : solved.lambda) {
            EXPECT_GE(reported, static_cast<TypeParam>(fraction * scale));
          }
        }
      });
}

TYPED_TEST(PositiveCode, KeepsTheCount) {
  for_all_dictionaries(
      [](const test::Problem& problem, Index sparse_count, AtomNorm norm, Coder coder) {
        for (const Index count : {1, 3, 8}) {
          expect_optimal(
              solve<TypeParam>(problem, sparse_count, test::with_count(coder, count, norm)), count);
        }
      });
}

TYPED_TEST(PositiveCode, WithoutALimitIsTheEndOfThePath) {
  const Matrix<double> D = test::unit_columns(test::gaussian(30, 8, 91));
  const Matrix<double> X = test::gaussian(30, 5, 92);
  const auto solved =
      solve<TypeParam>({"", D, X}, 0, test::with_count(Coder::Lars, 8, AtomNorm::Raw));
  for (Index n = 0; n < X.cols(); ++n) {  // non-negative least squares
    const Vector<double> g = D.transpose() * (X.col(n) - D * solved.C.col(n));
    EXPECT_LE(g.maxCoeff(), 1e-4);
    EXPECT_NEAR(g.dot(solved.C.col(n)), 0, 1e-3);
  }
}

TYPED_TEST(PositiveCode, OfASampleThatPointsAwayIsZero) {
  const Matrix<double> D = Matrix<double>::Identity(4, 4);
  const Matrix<double> X = -Matrix<double>::Ones(4, 1);
  for (const Coder coder : {Coder::Lars, Coder::Cd}) {
    const auto solved = solve<TypeParam>({"", D, X}, 0, test::with_lambda(coder, 0.5));
    EXPECT_TRUE(solved.C.isZero(0));
  }
}

}  // namespace
}  // namespace nodl
