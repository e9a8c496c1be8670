// `omp` against a plain twin, and its own certificate: the residual is orthogonal to what was
// chosen.
#include <gtest/gtest.h>

#include <cmath>

#include "nodl/encoder.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

template <class Scalar>
class Omp : public ::testing::Test {
 protected:
  struct Result {
    Matrix<double> D1, C;
  };
  static Result code(const Matrix<double>& atoms,
                     const Matrix<double>& samples,
                     Index count,
                     AtomNorm norm,
                     Index sparse_count = 0) {
    const auto dictionary = test::dictionary_of<Scalar>(atoms.cast<Scalar>(), sparse_count);
    const CodingDictionary<Scalar> coding(dictionary, norm);
    const Matrix<Scalar> X = samples.cast<Scalar>();
    ThreadPool pool(2);
    const auto codes = encode(
        coding, Batch<Scalar>::dense(X), test::with_count(Coder::Omp, count, norm), {}, pool);
    return {coding.to_dense().template cast<double>(),
            codes.columns.to_dense().template cast<double>()};
  }
  // Gram-based least squares with up to 15 atoms of a condition of about 100.
  static constexpr double kTolerance = 1e5 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Omp, Scalars);

TYPED_TEST(Omp, ChoosesAndFitsLikeThePlainTwin) {
  const Matrix<double> D = test::gaussian(50, 80, 31).cast<TypeParam>().template cast<double>();
  const Matrix<double> X = test::gaussian(50, 12, 32).cast<TypeParam>().template cast<double>();
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    for (const Index sparse_count : {0, 80}) {
      for (const Index count : {1, 2, 5, 15}) {
        const auto result = this->code(D, X, count, norm, sparse_count);
        for (Index i = 0; i < X.cols(); ++i) {
          SCOPED_TRACE(std::string(name_of(norm)) + ", sample " + std::to_string(i));
          const Vector<double> twin = test::simple_omp(result.D1, X.col(i), count);
          EXPECT_EQ(test::nonzeros(result.C.col(i)), count);
          for (Index j = 0; j < 80; ++j) EXPECT_EQ(result.C(j, i) != 0, twin(j) != 0) << j;
          EXPECT_LE((result.C.col(i) - twin).cwiseAbs().maxCoeff(), this->kTolerance);
        }
      }
    }
  }
}

TYPED_TEST(Omp, ResidualIsOrthogonalToTheChosenAtoms) {
  for (const test::Problem& problem : test::lasso_problems()) {
    const Index k = problem.atoms.cols();
    for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
      const auto result = this->code(problem.atoms, problem.samples, 5, norm);
      const Matrix<double> X = problem.samples.cast<TypeParam>().template cast<double>();
      const Matrix<double> g = result.D1.transpose() * (X - result.D1 * result.C);
      for (Index i = 0; i < X.cols(); ++i) {
        SCOPED_TRACE(problem.name + ", " + std::string(name_of(norm)) + ", sample " +
                     std::to_string(i));
        EXPECT_LE(test::nonzeros(result.C.col(i)), 5);
        for (Index j = 0; j < k; ++j) {
          if (result.C(j, i) == 0) continue;
          EXPECT_LE(std::abs(g(j, i)),
                    this->kTolerance * (result.D1.col(j).norm() * X.col(i).norm()));
        }
      }
    }
  }
}

TYPED_TEST(Omp, StopsWhereTheResidualRunsOut) {
  // Integers, so that the sample is a combination of two atoms exactly, also in float32.
  const Matrix<double> D =
      test::gaussian(30, 20, 33).unaryExpr([](double value) { return value > 0 ? 1.0 : -1.0; });
  Matrix<double> X(30, 1);
  X.col(0) = D.col(3) + 2 * D.col(11);
  const auto result = this->code(D, X, 10, AtomNorm::Raw);
  EXPECT_NEAR(result.C(3, 0), 1, this->kTolerance);
  EXPECT_NEAR(result.C(11, 0), 2, this->kTolerance);
  EXPECT_EQ(test::nonzeros(result.C.col(0)), 2) << "no atom is chosen for a residual of rounding";
}

TYPED_TEST(Omp, StopsWhereIndependentAtomsRunOut) {
  const Matrix<double> base = test::gaussian(30, 4, 34);
  Matrix<double> D(30, 12);
  D << base, base, -2 * base;
  const Matrix<double> X = test::gaussian(30, 5, 35);
  const auto result = this->code(D, X, 10, AtomNorm::Unit);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(test::nonzeros(result.C.col(i)), 4);
    const Vector<double> best = base * test::least_squares(base, X.col(i));
    EXPECT_LE((result.D1 * result.C.col(i) - best).norm(), this->kTolerance);
  }
}

TYPED_TEST(Omp, NearlyAllAtomsAreNearlyLeastSquares) {
  const Matrix<double> D = test::unit_columns(test::gaussian(30, 10, 36));
  const Matrix<double> X = test::gaussian(30, 5, 37);
  const auto result = this->code(D, X, 9, AtomNorm::Raw);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(test::nonzeros(result.C.col(i)), 9);
    std::vector<Index> chosen;
    for (Index j = 0; j < 10; ++j) {
      if (result.C(j, i) != 0) chosen.push_back(j);
    }
    const Matrix<double> part = test::columns_of(D, chosen);
    const Vector<double> best = part * test::least_squares(part, X.col(i));
    EXPECT_LE((D * result.C.col(i) - best).norm(), this->kTolerance);
  }
}

}  // namespace
}  // namespace nodl
