// `refit`: least squares on the support that the coder chose.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "nodl/encoder.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

struct Pair {
  Matrix<double> D1, X, plain, refitted;
};

template <class Scalar>
Pair code(const Matrix<double>& atoms,
          const Matrix<double>& samples,
          CodingOptions options,
          Index sparse_count = 0) {
  const auto dictionary = test::dictionary_of<Scalar>(atoms.cast<Scalar>(), sparse_count);
  const CodingDictionary<Scalar> coding(dictionary, options.atom_norm);
  const Matrix<Scalar> X = samples.cast<Scalar>();
  ThreadPool pool(2);
  Pair pair{coding.to_dense().template cast<double>(), X.template cast<double>(), {}, {}};
  options.refit = false;
  pair.plain = encode(coding, Batch<Scalar>::dense(X), options, {}, pool)
                   .columns.to_dense()
                   .template cast<double>();
  options.refit = true;
  pair.refitted = encode(coding, Batch<Scalar>::dense(X), options, {}, pool)
                      .columns.to_dense()
                      .template cast<double>();
  return pair;
}

template <class Scalar>
void expect_refitted(const Pair& pair, double tolerance) {
  const Matrix<double> g = pair.D1.transpose() * (pair.X - pair.D1 * pair.refitted);
  for (Index i = 0; i < pair.X.cols(); ++i) {
    for (Index j = 0; j < g.rows(); ++j) {
      if (pair.plain(j, i) == 0) {
        EXPECT_EQ(pair.refitted(j, i), 0) << "only on the support; sample " << i;
      } else {
        EXPECT_LE(std::abs(g(j, i)), tolerance * pair.D1.col(j).norm() * pair.X.col(i).norm())
            << "residual orthogonal to atom " << j << ", sample " << i;
      }
    }
    EXPECT_LE((pair.X - pair.D1 * pair.refitted).col(i).norm(),
              (pair.X - pair.D1 * pair.plain).col(i).norm() * (1 + tolerance) + tolerance);
  }
}

constexpr Coder kCoders[] = {Coder::Lars, Coder::Cd, Coder::Omp, Coder::Threshold};
constexpr AtomNorm kNorms[] = {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered};

TEST(Refit, KeepsTheSupportAndSolvesLeastSquaresOnIt) {
  const Matrix<double> D = test::gaussian(50, 70, 61);
  const Matrix<double> X = test::gaussian(50, 10, 62);
  for (const Coder coder : kCoders) {
    for (const AtomNorm norm : kNorms) {
      for (const Index sparse_count : {0, 70}) {
        SCOPED_TRACE(std::string(name_of(coder)) + ", " + std::string(name_of(norm)));
        const Pair pair = code<double>(D, X, test::with_count(coder, 12, norm), sparse_count);
        expect_refitted<double>(pair, 1e-12);
        for (Index i = 0; i < 10; ++i) {
          for (Index j = 0; j < 70; ++j) {
            EXPECT_EQ(pair.plain(j, i) != 0, pair.refitted(j, i) != 0);
          }
        }
        expect_refitted<float>(code<float>(D, X, test::with_count(coder, 12, norm)), 1e-4);
      }
    }
  }
}

// The threshold coder may choose duplicated atoms together: the fit then has many solutions.
TEST(Refit, AcceptsDependentSupports) {
  for (const test::Problem& problem : test::lasso_problems()) {
    for (const Coder coder : kCoders) {
      for (const AtomNorm norm : kNorms) {
        for (const Index count : {Index{3}, Index{10}}) {
          SCOPED_TRACE(problem.name + ", " + std::string(name_of(coder)) + ", " +
                       std::string(name_of(norm)) + ", count " + std::to_string(count));
          Matrix<double> X = problem.samples;
          X.col(6) = X.col(0);  // no constant sample: centred, it is rounding
          const Pair pair = code<double>(problem.atoms, X, test::with_count(coder, count, norm));
          ASSERT_TRUE(pair.refitted.allFinite());
          expect_refitted<double>(pair, 1e-6);
          // Dependent atoms must not give huge coefficients that cancel.
          EXPECT_LE((pair.D1 * pair.refitted).norm(), 1.0001 * X.norm());
          EXPECT_LE((pair.refitted.transpose().cwiseAbs() * pair.D1.colwise().norm().transpose())
                        .maxCoeff(),
                    1e4 * X.norm());
        }
      }
    }
  }
}

TEST(Refit, WorksWithAGivenLambda) {
  const Matrix<double> D = test::unit_columns(test::gaussian(50, 70, 63));
  const Matrix<double> X = test::gaussian(50, 10, 64);
  for (const Coder coder : {Coder::Lars, Coder::Cd, Coder::Threshold}) {
    expect_refitted<double>(code<double>(D, X, test::with_lambda(coder, 0.5)), 1e-12);
  }
}

TEST(Refit, LeavesLeastSquaresCodesAsTheyAre) {
  const Matrix<double> D = test::unit_columns(test::gaussian(50, 30, 65));
  const Matrix<double> X = test::gaussian(50, 6, 66);
  const Pair pair = code<double>(D, X, test::with_count(Coder::Omp, 7));
  EXPECT_LE((pair.plain - pair.refitted).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace nodl
