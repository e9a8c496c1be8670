// The fast search of LASSO codes on dictionaries that are larger than its working sets: every code
// is optimal whoever found it, and nearly all are found by the search.
#include "encode/lasso_search.h"

#include <gtest/gtest.h>

#include "encode/path_search.h"
#include "encode/search_encoder.h"
#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"

namespace nodl {
namespace {

constexpr Index m = 64, k = 700, n = 40;

/// Atoms around a few directions: neighbours have a correlation of about 0.9.
Matrix<double> clustered_atoms() {
  const Matrix<double> centres = test::gaussian(m, 35, 71);
  Matrix<double> atoms = 0.35 * test::gaussian(m, k, 72);
  for (Index j = 0; j < k; ++j) atoms.col(j) += centres.col(j % 35);
  return test::unit_columns(atoms);
}

template <class Scalar>
class LargeLasso : public ::testing::Test {
 protected:
  void expect_optimal(const Matrix<double>& atoms, const CodingOptions& options) {
    const Matrix<Scalar> X = test::gaussian(m, n, 73).cast<Scalar>();
    const auto dictionary = test::dictionary_of<Scalar>(Matrix<Scalar>(atoms.cast<Scalar>()));
    const CodingDictionary<Scalar> coding(dictionary, options.atom_norm);
    const Matrix<double> D1 = coding.to_dense().template cast<double>();
    ThreadPool pool(2);
    const Codes<Scalar> codes = encode(coding, Batch<Scalar>::dense(X), options, {}, pool);
    for (Index i = 0; i < n; ++i) {
      const auto c = test::lasso_conditions(D1,
                                            X.col(i).template cast<double>(),
                                            codes.columns.to_dense().col(i).template cast<double>(),
                                            static_cast<double>(codes.lambda[i]));
      EXPECT_LE(c.violation, test::promised_violation<Scalar>(codes.lambda[i], c.lambda_max))
          << "sample " << i;
      if (options.code_nonzeros) {
        EXPECT_EQ(c.nonzeros, *options.code_nonzeros) << "sample " << i;
      }
    }
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LargeLasso, Scalars);

TYPED_TEST(LargeLasso, AtALambda) {
  for (const Matrix<double>& atoms :
       {test::unit_columns(test::gaussian(m, k, 70)), clustered_atoms()}) {
    for (const double lambda : {3.0, 1.0, 0.3, 0.05}) {
      for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Centered}) {
        SCOPED_TRACE(lambda);
        this->expect_optimal(atoms, test::with_lambda(Coder::Lars, lambda, norm));
      }
    }
  }
}

TYPED_TEST(LargeLasso, WithACount) {
  for (const Matrix<double>& atoms :
       {test::unit_columns(test::gaussian(m, k, 70)), clustered_atoms()}) {
    for (const Index count : {1, 2, 10, 30, 50}) {
      for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Centered}) {
        SCOPED_TRACE(count);
        this->expect_optimal(atoms, test::with_count(Coder::Lars, count, norm));
      }
    }
  }
}

// Orthonormal atoms, lambda 1/2: the code is q softened by 1/2. Where q exceeds it by 2e-6, float32
// cannot tell the atom from one at the boundary, and an exact look has to.
TEST(LassoSearch, CorrectsItsSupportByAnExactLook) {
  for (const Index atoms : {3, 700}) {  // as working set the whole dictionary, or a part of it
    const Matrix<float> gram = Matrix<float>::Identity(atoms, atoms);
    Vector<float> q = Vector<float>::Zero(atoms);
    q[0] = 1;
    q[1] = -0.500002F;
    LassoSearch search(gram);
    ASSERT_TRUE(search.solve(q.data(), 0.5F));
    ASSERT_EQ(search.size(), 1);
    EXPECT_EQ(search.atom(0), 0);
    ASSERT_TRUE(search.admit(1, q[1]));
    ASSERT_EQ(search.size(), 2);
    EXPECT_EQ(search.atom(1), 1);
    EXPECT_EQ(search.sign(1), -1);
    EXPECT_FLOAT_EQ(search.value(0), 0.5F);
    EXPECT_NEAR(search.value(1), -2e-6, 1e-7);
    EXPECT_NEAR(search.correlations()[1], -0.5, 1e-7);
    search.dismiss(0);
    ASSERT_EQ(search.size(), 1);
    EXPECT_EQ(search.atom(0), 1);
    EXPECT_FLOAT_EQ(search.correlations()[0], 1);
    EXPECT_FALSE(search.admit(2 % atoms, 0.4F)) << "it does not violate anything";
  }
}

// Of 2000 patches in 256 atoms some have an atom so near the boundary: corrected, not left.
TEST(CertifiedLasso, LeavesNoOrdinarySampleToTheExactSolvers) {
  const Matrix<double> D = test::unit_columns(test::gaussian(m, 256, 75));
  const Matrix<double> X = test::unit_columns(test::gaussian(m, 2000, 76));
  const auto dictionary = test::dictionary_of<double>(D);
  const CodingDictionary<double> coding(dictionary, AtomNorm::Raw);
  ThreadPool pool(2);
  std::vector<Index> left;
  const CodingOptions options = test::with_lambda(Coder::Lars, 0.1, AtomNorm::Raw);
  encode_by_search<double>(coding, Batch<double>::dense(X), options, pool, left, nullptr);
  EXPECT_TRUE(left.empty()) << left.size() << " samples";
}

// What the exact solvers have to do again costs a hundred times as much.
TEST(LassoSearch, SeldomGivesUp) {
  for (const Matrix<double>& atoms :
       {test::unit_columns(test::gaussian(m, k, 70)), clustered_atoms()}) {
    const Matrix<float> D = atoms.cast<float>();
    const Matrix<float> gram = D.transpose() * D;
    const Matrix<float> Q = D.transpose() * test::gaussian(m, 400, 74).cast<float>();
    LassoSearch at_lambda(gram);
    PathSearch to_count(gram, 30);
    Index solved = 0, followed = 0;
    for (Index i = 0; i < Q.cols(); ++i) {
      solved += at_lambda.solve(Q.col(i).data(), 0.5F);
      followed += to_count.solve(Q.col(i).data(), {{}, 30});
    }
    EXPECT_GE(solved, 392);
    EXPECT_GE(followed, 392);
  }
}

}  // namespace
}  // namespace nodl
