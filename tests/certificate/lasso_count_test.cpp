// A wanted number of nonzeros: where the path stops, and both limits together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

constexpr Index m = 40, k = 70, n = 10;

template <class Scalar>
class LassoCount : public ::testing::Test {
 protected:
  Codes<Scalar> code(const CodingOptions& options) {
    const CodingDictionary<Scalar> coding(dictionary_, options.atom_norm);
    D1_ = coding.to_dense().template cast<double>();
    return encode(coding, Batch<Scalar>::dense(X_), options, {}, pool_);
  }
  test::LassoConditions conditions(const Codes<Scalar>& codes, Index i) {
    return test::lasso_conditions(D1_,
                                  X_.col(i).template cast<double>(),
                                  codes.columns.to_dense().col(i).template cast<double>(),
                                  static_cast<double>(codes.lambda[i]));
  }
  static bool same(const Codes<Scalar>& a, const Codes<Scalar>& b, double tolerance) {
    return (a.columns.to_dense() - b.columns.to_dense()).cwiseAbs().maxCoeff() <= tolerance;
  }

  ThreadPool pool_{2};
  Matrix<Scalar> atoms_ = test::unit_columns(test::gaussian(m, k, 21)).cast<Scalar>();
  Matrix<Scalar> X_ = test::gaussian(m, n, 22).cast<Scalar>();
  Dictionary<Scalar> dictionary_ = test::dictionary_of<Scalar>(atoms_);
  Matrix<double> D1_;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LassoCount, Scalars);

TYPED_TEST(LassoCount, LarsReturnsExactlyTheCountOnGenericData) {
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Centered}) {
    for (const Index count : {1, 2, 5, 12, 25}) {
      const auto codes = this->code(test::with_count(Coder::Lars, count, norm));
      for (Index i = 0; i < n; ++i) {
        const auto c = this->conditions(codes, i);
        EXPECT_EQ(c.nonzeros, count) << "sample " << i;
        // It stops where one more would enter: an atom outside the code is at the bound.
        EXPECT_NEAR(c.largest_inactive,
                    codes.lambda[i],
                    test::promised_violation<TypeParam>(codes.lambda[i], c.lambda_max));
      }
    }
  }
}

TYPED_TEST(LassoCount, LarsReturnsFewerOnlyAtTheEndOfThePath) {
  // 40 coordinates: from 40 nonzeros on the sample is met and lambda is 0.
  const auto codes = this->code(test::with_count(Coder::Lars, 60));
  for (Index i = 0; i < n; ++i) {
    const auto c = this->conditions(codes, i);
    EXPECT_LE(c.nonzeros, m);
    // float32 paths end where the rounding of the data would decide, at 1024 eps lambda_max.
    EXPECT_LE(codes.lambda[i], (sizeof(TypeParam) == 8 ? 1e-10 : 2e-4) * c.lambda_max);
    const Vector<double> rest = this->X_.col(i).template cast<double>() -
                                this->D1_ * codes.columns.to_dense().col(i).template cast<double>();
    EXPECT_LE(rest.norm(), sizeof(TypeParam) == 8 ? 1e-10 : 1e-2);
  }
}

TEST(LassoCountDouble, LarsEqualsAPlainPath) {
  const Matrix<double> D = test::gaussian(30, 50, 23);
  const Matrix<double> X = test::gaussian(30, 8, 24);
  const auto dictionary = test::dictionary_of<double>(D);
  ThreadPool pool;
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    const CodingDictionary<double> coding(dictionary, norm);
    const Matrix<double> D1 = test::simple_normalised(D, norm);
    for (const Index count : {3, 10, 20}) {
      const auto codes = encode(
          coding, Batch<double>::dense(X), test::with_count(Coder::Lars, count, norm), {}, pool);
      for (Index i = 0; i < 8; ++i) {
        const test::SimpleCode twin = test::simple_lasso_path(D1, X.col(i), count);
        // Twenty breakpoints, each a solve with a condition of about 1e3.
        EXPECT_LE((codes.columns.to_dense().col(i) - twin.code).cwiseAbs().maxCoeff(), 1e-11);
        EXPECT_NEAR(codes.lambda[i], twin.lambda, 1e-11);
      }
    }
  }
}

TYPED_TEST(LassoCount, CdComesNearTheCount) {
  // PRODUCT.md asks for at most the count; a search that gives up early would be useless.
  for (const Index count : {2, 5, 12, 25}) {
    const auto codes = this->code(test::with_count(Coder::Cd, count));
    for (Index i = 0; i < n; ++i) {
      const auto c = this->conditions(codes, i);
      EXPECT_LE(c.nonzeros, count);
      EXPECT_GE(2 * c.nonzeros, count) << "sample " << i;
    }
  }
}

TYPED_TEST(LassoCount, TheStricterOfLambdaAndCountDecides) {
  const double rounding = sizeof(TypeParam) == 8 ? 1e-10 : 1e-4;
  const Index count = 6;
  for (const Coder coder : {Coder::Lars, Coder::Cd}) {
    const auto by_count = this->code(test::with_count(coder, count));
    for (const double factor : {0.5, 1.5}) {
      // A lambda below or above the one where the count stops, for the first sample.
      const double lambda = factor * static_cast<double>(by_count.lambda[0]);
      CodingOptions both = test::with_count(coder, count);
      both.lambda = lambda;
      const auto codes = this->code(both);
      const auto by_lambda = this->code(test::with_lambda(coder, lambda));
      for (Index i = 0; i < n; ++i) {
        SCOPED_TRACE(std::string(name_of(coder)) + ", sample " + std::to_string(i));
        const auto c = this->conditions(codes, i);
        EXPECT_LE(c.nonzeros, count);
        EXPECT_GE(codes.lambda[i], lambda * (1 - rounding));
        EXPECT_LE(c.violation, test::promised_violation<TypeParam>(codes.lambda[i], c.lambda_max));
        if (coder == Coder::Lars) {
          const double expected = std::max(lambda, static_cast<double>(by_count.lambda[i]));
          EXPECT_NEAR(codes.lambda[i], expected, rounding * expected);
        }
        if (test::nonzeros(by_lambda.columns.to_dense().col(i).template cast<double>()) <= count &&
            lambda >= by_count.lambda[i]) {
          EXPECT_LE((codes.columns.to_dense().col(i) - by_lambda.columns.to_dense().col(i))
                        .cwiseAbs()
                        .maxCoeff(),
                    rounding);
        }
      }
    }
  }
}

TYPED_TEST(LassoCount, LambdaAboveItsMaximumGivesZeroCodes) {
  for (const Coder coder : {Coder::Lars, Coder::Cd}) {
    const auto codes = this->code(test::with_lambda(coder, 1e3));
    EXPECT_EQ(codes.columns.nonzeros(), 0);
    EXPECT_EQ(codes.columns.cols(), n);
  }
}

TYPED_TEST(LassoCount, LambdaZeroIsLeastSquares) {
  // Fewer atoms than coordinates: one solution.
  this->dictionary_ = test::dictionary_of<TypeParam>(Matrix<TypeParam>(this->atoms_.leftCols(15)));
  for (const Coder coder : {Coder::Lars, Coder::Cd}) {
    const auto codes = this->code(test::with_lambda(coder, 0));
    for (Index i = 0; i < n; ++i) {
      const Vector<double> expected =
          test::least_squares(this->D1_, this->X_.col(i).template cast<double>());
      EXPECT_LE((codes.columns.to_dense().col(i).template cast<double>() - expected)
                    .cwiseAbs()
                    .maxCoeff(),
                sizeof(TypeParam) == 8 ? 1e-9 : 1e-2)
          << name_of(coder);
    }
  }
}

}  // namespace
}  // namespace nodl
