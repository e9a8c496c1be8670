// Codes by `lars` and `cd` are LASSO solutions: the bounds of PRODUCT.md's first promise, for every
// kind of dictionary, way of storing it and normalisation, in double arithmetic against the atoms
// as coding sees them.
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

using test::LassoConditions;

template <class Scalar>
struct Solved {
  Matrix<double> D1, X, C;
  Codes<Scalar> codes;

  LassoConditions conditions(Index n) const {
    return test::lasso_conditions(D1, X.col(n), C.col(n), static_cast<double>(codes.lambda[n]));
  }
};

template <class Scalar>
Solved<Scalar> solve(const test::Problem& problem,
                     Index sparse_count,
                     const CodingOptions& options) {
  ThreadPool pool(2);
  const Matrix<Scalar> X = problem.samples.cast<Scalar>();
  const auto dictionary = test::dictionary_of<Scalar>(problem.atoms.cast<Scalar>(), sparse_count);
  const CodingDictionary<Scalar> coding(dictionary, options.atom_norm);
  Solved<Scalar> solved;
  solved.codes = encode(coding, Batch<Scalar>::dense(X), options, {}, pool);
  solved.D1 = coding.to_dense().template cast<double>();
  solved.X = X.template cast<double>();
  solved.C = solved.codes.columns.to_dense().template cast<double>();
  return solved;
}

// Every problem, normalisation and storage; calls check(problem, sparse_count, norm).
template <class Check>
void for_all_dictionaries(Check check) {
  for (const test::Problem& problem : test::lasso_problems()) {
    for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
      for (const Index sparse_count : {Index{0}, problem.atoms.cols() / 2, problem.atoms.cols()}) {
        SCOPED_TRACE(problem.name + ", " + std::string(name_of(norm)) + ", " +
                     std::to_string(sparse_count) + " atoms stored sparse");
        check(problem, sparse_count, norm);
      }
    }
  }
}

double largest_lambda(const test::Problem& problem, AtomNorm norm) {
  const Matrix<double> D1 = test::simple_normalised(problem.atoms, norm);
  return (D1.transpose() * problem.samples).cwiseAbs().maxCoeff();
}

// What is correlated with nothing but rounding (a constant sample and centred atoms) has a
// lambda_max of rounding size, and so no digits to check.
bool is_noise(const LassoConditions& c,
              const Vector<double>& x,
              const Matrix<double>& D1,
              double eps) {
  return c.lambda_max <= 64 * eps * x.norm() * std::max(1.0, D1.colwise().norm().maxCoeff());
}

template <class Scalar>
void expect_optimal(const Solved<Scalar>& solved) {
  for (Index n = 0; n < solved.X.cols(); ++n) {
    const LassoConditions c = solved.conditions(n);
    const double lambda = static_cast<double>(solved.codes.lambda[n]);
    ASSERT_TRUE(std::isfinite(lambda)) << "sample " << n;
    ASSERT_TRUE(solved.C.col(n).allFinite()) << "sample " << n;
    if (is_noise(c, solved.X.col(n), solved.D1, test::epsilon<Scalar>())) {
      // The code must then be noise as well.
      EXPECT_LE((solved.D1 * solved.C.col(n)).norm(), 1e-3 * solved.X.col(n).norm()) << n;
      continue;
    }
    EXPECT_LE(c.violation, test::promised_violation<Scalar>(lambda, c.lambda_max))
        << "sample " << n << ", lambda " << lambda << ", lambda_max " << c.lambda_max
        << ", nonzeros " << c.nonzeros;
  }
}

template <class Scalar>
class Lasso : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lasso, Scalars);

constexpr double kFractions[] = {0.9, 0.3, 0.03, 1e-4};  // of the largest lambda_max
constexpr Index kCounts[] = {1, 3, 8};  // below k; from k on, codes are LSQR's (PRODUCT.md)

TYPED_TEST(Lasso, LarsIsOptimalAtAGivenLambda) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const double fraction : kFractions) {
      const double lambda = fraction * largest_lambda(problem, norm);
      SCOPED_TRACE("lambda " + std::to_string(lambda));
      const auto solved =
          solve<TypeParam>(problem, sparse_count, test::with_lambda(Coder::Lars, lambda, norm));
      expect_optimal(solved);
      for (const TypeParam reported : solved.codes.lambda) {
        EXPECT_EQ(reported, static_cast<TypeParam>(lambda));
      }
    }
  });
}

TYPED_TEST(Lasso, CdIsOptimalAtAGivenLambda) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const double fraction : kFractions) {
      const double lambda = fraction * largest_lambda(problem, norm);
      SCOPED_TRACE("lambda " + std::to_string(lambda));
      const auto solved =
          solve<TypeParam>(problem, sparse_count, test::with_lambda(Coder::Cd, lambda, norm));
      expect_optimal(solved);
      for (const TypeParam reported : solved.codes.lambda) {
        EXPECT_EQ(reported, static_cast<TypeParam>(lambda));
      }
    }
  });
}

TYPED_TEST(Lasso, LarsIsOptimalWhereTheCountStopsIt) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const Index count : kCounts) {
      if (count >= problem.atoms.cols()) continue;
      SCOPED_TRACE("count " + std::to_string(count));
      const auto solved =
          solve<TypeParam>(problem, sparse_count, test::with_count(Coder::Lars, count, norm));
      expect_optimal(solved);
      for (Index n = 0; n < solved.C.cols(); ++n) {
        EXPECT_LE(test::nonzeros(solved.C.col(n)), count) << "sample " << n;
      }
    }
  });
}

TYPED_TEST(Lasso, CdIsOptimalAtTheLambdaItReportsAndWithinTheCount) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const Index count : kCounts) {
      if (count >= problem.atoms.cols()) continue;
      SCOPED_TRACE("count " + std::to_string(count));
      const auto solved =
          solve<TypeParam>(problem, sparse_count, test::with_count(Coder::Cd, count, norm));
      expect_optimal(solved);
      for (Index n = 0; n < solved.C.cols(); ++n) {
        EXPECT_LE(test::nonzeros(solved.C.col(n)), count) << "sample " << n;
      }
    }
  });
}

TEST(LassoDouble, ObjectivesOfLarsAndCdAgree) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const double fraction : kFractions) {
      const double lambda = fraction * largest_lambda(problem, norm);
      SCOPED_TRACE("lambda " + std::to_string(lambda));
      const auto lars =
          solve<double>(problem, sparse_count, test::with_lambda(Coder::Lars, lambda, norm));
      const auto cd =
          solve<double>(problem, sparse_count, test::with_lambda(Coder::Cd, lambda, norm));
      for (Index n = 0; n < lars.X.cols(); ++n) {
        const double a = lars.conditions(n).objective, b = cd.conditions(n).objective;
        EXPECT_LE(std::abs(a - b), 1e-8 * std::max(a, b)) << "sample " << n;
      }
    }
  });
}

// The objective is within `gap` of the optimum, whatever that is.
TEST(LassoDouble, DualityGapIsSmall) {
  for_all_dictionaries([](const test::Problem& problem, Index sparse_count, AtomNorm norm) {
    for (const double fraction : kFractions) {
      const double lambda = fraction * largest_lambda(problem, norm);
      SCOPED_TRACE("lambda " + std::to_string(lambda));
      for (const Coder coder : {Coder::Lars, Coder::Cd}) {
        const auto solved =
            solve<double>(problem, sparse_count, test::with_lambda(coder, lambda, norm));
        for (Index n = 0; n < solved.X.cols(); ++n) {
          const LassoConditions c = solved.conditions(n);
          const double rounding = 64 * test::epsilon<double>() * solved.X.col(n).squaredNorm();
          EXPECT_LE(c.gap, 1e-8 * c.objective + rounding) << name_of(coder) << ", sample " << n;
        }
      }
    }
  });
}

}  // namespace
}  // namespace nodl
