// The ways to a gradient on a support: from residuals, and from the Gram matrix.
#include "encode/support_gradient.h"

#include <gtest/gtest.h>

#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"

namespace nodl {
namespace {

constexpr Index m = 600, k = 90, n = 60;

/// Few independent directions and a little of their own: as dictionaries of images are.
Matrix<double> correlated_atoms() {
  return test::unit_columns(test::gaussian(m, 8, 170) * test::gaussian(8, k, 171) +
                            0.3 * test::gaussian(m, k, 172));
}

TEST(SupportGradient, AllWaysAreTheDefinition) {
  const Matrix<double> X = test::gaussian(m, 1, 173).array() + 2;
  const std::vector<RowIndex> atoms = {3, 88, 0, 41, 42, 7, 60, 61, 62, 63, 89};
  const Vector<double> a = test::gaussian(static_cast<Index>(atoms.size()), 1, 174).col(0);
  const auto dictionary = test::dictionary_of<double>(correlated_atoms());
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    const CodingDictionary<double> coding(dictionary, norm);
    const Matrix<double> D1 = coding.to_dense();
    Vector<double> r = X.col(0);
    for (std::size_t t = 0; t < atoms.size(); ++t) r -= a[static_cast<Index>(t)] * D1.col(atoms[t]);
    ThreadPool pool;
    const Matrix<double> gram = coding.gram(pool);
    const Vector<double> q = D1.transpose() * X.col(0);
    struct Way {
      const Matrix<double>* gram;
      const double* x;
      const double* q;
    };
    for (const Way& way : {Way{nullptr, X.data(), nullptr},
                           Way{&gram, X.data(), nullptr},
                           Way{&gram, nullptr, q.data()}}) {
      SupportGradient<double> gradient(coding, way.gram);
      gradient.start(way.x, way.q, atoms);
      std::vector<double> c(atoms.size());
      gradient.evaluate(a.data(), c.data());
      const double tolerance = 1e-13 * X.norm();
      for (std::size_t t = 0; t < atoms.size(); ++t) {
        EXPECT_NEAR(c[t], D1.col(atoms[t]).dot(r), tolerance) << name_of(norm);
      }
      EXPECT_NEAR(gradient.correlation(5), D1.col(5).dot(r), tolerance) << name_of(norm);
    }
  }
}

// Long atoms, many samples: what the Gram matrix is used for.
TEST(SupportGradient, CodesCertifiedByTheGramMatrixAreOptimal) {
  const auto dictionary = test::dictionary_of<double>(correlated_atoms());
  const CodingDictionary<double> coding(dictionary, AtomNorm::Centered);
  const Matrix<double> D1 = coding.to_dense();
  const Matrix<double> X =
      correlated_atoms() * test::sparse_gaussian(k, n, 20, 175) + 0.1 * test::gaussian(m, n, 176);
  ThreadPool pool(2);
  for (const Index count : {5, 30, 80}) {
    ASSERT_TRUE(SupportGradient<double>::wants_gram(coding, n, count));
    const CodingOptions options = test::with_count(Coder::Lars, count, AtomNorm::Centered);
    const Codes<double> codes = encode(coding, Batch<double>::dense(X), options, {}, pool);
    for (Index i = 0; i < n; ++i) {
      const auto c = test::lasso_conditions(
          D1, X.col(i), codes.columns.to_dense().col(i), codes.lambda[static_cast<std::size_t>(i)]);
      EXPECT_LE(
          c.violation,
          test::promised_violation<double>(codes.lambda[static_cast<std::size_t>(i)], c.lambda_max))
          << "sample " << i << ", count " << count;
      EXPECT_EQ(c.nonzeros, count) << "sample " << i;
    }
  }
}

}  // namespace
}  // namespace nodl
