// Ordinary cases that crash lesser coders: empty dictionaries, one coordinate, zero and duplicated
// atoms, zero and constant samples, counts beyond k. For every coder, with and without refit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "nodl/encoder.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

using Setting = std::tuple<Coder, AtomNorm, bool>;

class CoderEdges : public ::testing::TestWithParam<Setting> {
 protected:
  template <class Scalar>
  Codes<Scalar> code(const Matrix<double>& atoms,
                     const Matrix<double>& samples,
                     Index count,
                     Index sparse_count = 0) {
    const auto [coder, norm, refit] = GetParam();
    CodingOptions options = test::with_count(coder, count, norm);
    options.refit = refit;
    const auto dictionary = test::dictionary_of<Scalar>(atoms.cast<Scalar>(), sparse_count);
    const CodingDictionary<Scalar> coding(dictionary, norm);
    const Matrix<Scalar> X = samples.cast<Scalar>();
    ThreadPool pool(2);
    return encode(coding, Batch<Scalar>::dense(X), options, {}, pool);
  }

  // Shape, order of indices, finite values, no stored zeros.
  template <class Scalar>
  static void expect_sound(const Codes<Scalar>& codes, Index k, Index n) {
    const auto view = codes.columns.view();
    ASSERT_EQ(view.rows, k);
    ASSERT_EQ(view.cols, n);
    ASSERT_EQ(codes.lambda.size(), static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      EXPECT_TRUE(std::isfinite(codes.lambda[i]));
      EXPECT_GE(codes.lambda[i], 0);
      for (Index p = view.starts[i]; p < view.starts[i + 1]; ++p) {
        EXPECT_TRUE(std::isfinite(view.values[p]));
        EXPECT_NE(view.values[p], 0);
        EXPECT_GE(view.indices[p], 0);
        EXPECT_LT(view.indices[p], k);
        if (p > view.starts[i]) {
          EXPECT_LT(view.indices[p - 1], view.indices[p]);
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(
    ,
    CoderEdges,
    ::testing::Combine(::testing::Values(Coder::Lars, Coder::Cd, Coder::Omp, Coder::Threshold),
                       ::testing::Values(AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered),
                       ::testing::Bool()),
    [](const ::testing::TestParamInfo<Setting>& tested) {
      return std::string(name_of(std::get<0>(tested.param))) + "_" +
             std::string(name_of(std::get<1>(tested.param))) +
             (std::get<2>(tested.param) ? "_refit" : "");
    });

TEST_P(CoderEdges, EveryProblemGivesSoundCodes) {
  for (const test::Problem& problem : test::lasso_problems()) {
    const Index k = problem.atoms.cols();
    for (const Index count : {Index{1}, Index{4}, k, k + 5}) {
      for (const Index sparse_count : {Index{0}, k}) {
        SCOPED_TRACE(problem.name + ", count " + std::to_string(count));
        expect_sound(code<double>(problem.atoms, problem.samples, count, sparse_count), k, 7);
        expect_sound(code<float>(problem.atoms, problem.samples, count, sparse_count), k, 7);
      }
    }
  }
}

TEST_P(CoderEdges, NoAtomsGiveEmptyCodes) {
  const auto codes = code<double>(Matrix<double>(6, 0), test::gaussian(6, 3, 1), 2);
  expect_sound(codes, 0, 3);
}

TEST_P(CoderEdges, NoSamplesGiveNoCodes) {
  const auto codes = code<double>(test::gaussian(6, 4, 1), Matrix<double>(6, 0), 2);
  expect_sound(codes, 4, 0);
}

TEST_P(CoderEdges, OnlyZeroAtomsGiveZeroCodes) {
  const auto codes = code<double>(Matrix<double>::Zero(6, 4), test::gaussian(6, 3, 2), 2);
  expect_sound(codes, 4, 3);
  EXPECT_EQ(codes.columns.nonzeros(), 0);
}

TEST_P(CoderEdges, ZeroSamplesGiveZeroCodes) {
  for (const Index count : {2, 9}) {
    const auto codes = code<double>(test::gaussian(6, 4, 3), Matrix<double>::Zero(6, 3), count);
    expect_sound(codes, 4, 3);
    EXPECT_EQ(codes.columns.nonzeros(), 0);
  }
}

TEST_P(CoderEdges, ZeroAtomsAreNeverUsed) {
  Matrix<double> D = test::gaussian(20, 10, 4);
  D.col(0).setZero();
  D.col(5).setZero();
  for (const Index count : {3, 10}) {
    const Matrix<double> C = code<double>(D, test::gaussian(20, 6, 5), count).columns.to_dense();
    EXPECT_TRUE(C.row(0).isZero(0));
    EXPECT_TRUE(C.row(5).isZero(0));
  }
}

TEST_P(CoderEdges, ConstantSamplesHaveNothingForCentredAtoms) {
  if (std::get<1>(GetParam()) != AtomNorm::Centered) return;
  const Matrix<double> X = Matrix<double>::Constant(20, 3, 0.7);
  for (const Index sparse_count : {0, 10}) {
    const Matrix<double> C =
        code<double>(test::gaussian(20, 10, 6), X, 4, sparse_count).columns.to_dense();
    EXPECT_TRUE(C.isZero(0));
  }
}

// One coordinate: everything is a multiple of everything. Centred, nothing is left.
TEST_P(CoderEdges, OneCoordinate) {
  Matrix<double> D(1, 3), X(1, 2);
  D << 0.5, -2, 0;
  X << 3, -1;
  const auto codes = code<double>(D, X, 1);
  expect_sound(codes, 3, 2);
  if (std::get<1>(GetParam()) == AtomNorm::Centered) {
    EXPECT_EQ(codes.columns.nonzeros(), 0);
  }
}

// A sample's code does not depend on the others of its batch.
TEST_P(CoderEdges, SamplesAreCodedIndependently) {
  const Matrix<double> D = test::gaussian(25, 40, 7);
  const Matrix<double> X = test::gaussian(25, 70, 8);
  const Matrix<double> together = code<double>(D, X, 6).columns.to_dense();
  for (const Index i : {0, 1, 33, 69}) {
    const Matrix<double> alone = code<double>(D, X.col(i), 6).columns.to_dense();
    // Blocked products may round differently; the code must be the same up to that. LSQR near its
    // end (20 steps of 25) makes roundings grow.
    const double slack = std::get<0>(GetParam()) == Coder::Threshold ? 1e-5 : 1e-9;
    EXPECT_LE((alone.col(0) - together.col(i)).cwiseAbs().maxCoeff(), slack) << "sample " << i;
  }
}

TEST_P(CoderEdges, FloatCodesAreNearDoubleOnes) {
  const Matrix<double> D = test::gaussian(40, 20, 9);
  const Matrix<double> X = test::gaussian(40, 10, 10);
  const Matrix<double> wide = code<double>(D, X, 20).columns.to_dense();
  const Matrix<double> narrow = code<float>(D, X, 20).columns.to_dense().cast<double>();
  // Condition of the Gram matrix about 30; codes of size 1.
  EXPECT_LE((wide - narrow).cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace
}  // namespace nodl
