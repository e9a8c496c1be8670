// The second coding of a batch (Alg. 1, step 9) begins with the products of the first: what it
// reuses, and that its codes are optimal for the dictionary with the newborns.
#include <gtest/gtest.h>

#include "encode/encode_checked.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"

namespace nodl {
namespace {

constexpr Index m = 40, k_old = 61, born = 13, k = k_old + born;

template <class Scalar>
class SecondCoding : public ::testing::Test {
 protected:
  // Old atoms sparse or dense (the paper's, and PRODUCT's dense dictionaries), newborns dense.
  static Matrix<Scalar> atoms(bool sparse) {
    Matrix<double> D = test::gaussian(m, k, 31);
    if (sparse) D.leftCols(k_old) = test::sparse_gaussian(m, k_old, 6, 32);
    return test::unit_columns(D).cast<Scalar>();
  }
  static Dictionary<Scalar> dictionary(bool sparse, Index size) {
    return test::dictionary_of<Scalar>(atoms(sparse).leftCols(size), sparse ? k_old : 0);
  }

  ThreadPool pool_{2};
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SecondCoding, Scalars);

TYPED_TEST(SecondCoding, CompletesTheGramMatrix) {
  for (const bool sparse : {true, false}) {
    for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
      const auto before = this->dictionary(sparse, k_old), after = this->dictionary(sparse, k);
      const CodingDictionary<TypeParam> old_atoms(before, norm), all_atoms(after, norm);
      const Matrix<TypeParam> known = old_atoms.gram(this->pool_);
      const Matrix<TypeParam> gram = all_atoms.gram(this->pool_, known);
      EXPECT_TRUE(gram.topLeftCorner(k_old, k_old) == known) << "to the bit";
      EXPECT_TRUE(gram.rightCols(born) == gram.bottomRows(born).transpose()) << "to the bit";
      const Matrix<double> D1 = all_atoms.to_dense().template cast<double>();
      EXPECT_LE((gram.template cast<double>() - D1.transpose() * D1).cwiseAbs().maxCoeff(),
                32 * test::epsilon<TypeParam>());
      // The old block is taken, not made again.
      const Matrix<TypeParam> marks = Matrix<TypeParam>::Constant(k_old, k_old, 7);
      EXPECT_TRUE(all_atoms.gram(this->pool_, marks).topLeftCorner(k_old, k_old) == marks);
    }
  }
}

TYPED_TEST(SecondCoding, LeavesKnownCorrelationsAlone) {
  const Matrix<TypeParam> X = test::gaussian(m, 5, 33).cast<TypeParam>();
  const SparseMatrix<TypeParam> sparse_X = test::to_sparse<TypeParam>(X);
  for (const bool sparse : {true, false}) {
    for (const bool sparse_samples : {true, false}) {
      const auto after = this->dictionary(sparse, k);
      const CodingDictionary<TypeParam> all_atoms(after, AtomNorm::Unit);
      const auto batch =
          sparse_samples ? Batch<TypeParam>::sparse(sparse_X) : Batch<TypeParam>::dense(X);
      Matrix<TypeParam> whole(k, 5), rest = Matrix<TypeParam>::Constant(k, 5, 7);
      all_atoms.correlate(batch, whole.data());
      all_atoms.correlate(batch, rest.data(), k_old);
      EXPECT_TRUE((rest.topRows(k_old).array() == 7).all());
      EXPECT_LE((rest - whole).bottomRows(born).cwiseAbs().maxCoeff(),
                64 * test::epsilon<TypeParam>());
    }
  }
}

TYPED_TEST(SecondCoding, GivesOptimalCodes) {
  constexpr Index n = 530;  // more than one block of correlations
  const Matrix<TypeParam> X = test::gaussian(m, n, 34).cast<TypeParam>();
  const SparseMatrix<TypeParam> sparse_X = test::to_sparse<TypeParam>(X);
  for (const bool sparse : {true, false}) {
    for (const bool sparse_samples : {true, false}) {
      for (const CodingOptions& options : {test::with_count(Coder::Lars, 8, AtomNorm::Centered),
                                           test::with_count(Coder::Lars, 5),
                                           test::with_lambda(Coder::Lars, 0.7)}) {
        const auto before = this->dictionary(sparse, k_old), after = this->dictionary(sparse, k);
        const CodingDictionary<TypeParam> old_atoms(before, options.atom_norm);
        const CodingDictionary<TypeParam> all_atoms(after, options.atom_norm);
        const auto batch =
            sparse_samples ? Batch<TypeParam>::sparse(sparse_X) : Batch<TypeParam>::dense(X);
        KnownProducts<TypeParam> products;
        encode_checked(old_atoms, batch, options, {}, this->pool_, &products);
        EXPECT_EQ(products.gram.rows() + products.exact_gram.rows(), k_old);
        EXPECT_EQ(products.correlated.size(), 2U);
        const auto codes = encode_checked(all_atoms, batch, options, {}, this->pool_, &products);
        EXPECT_TRUE(products.correlated.empty());
        const Matrix<double> D1 = all_atoms.to_dense().template cast<double>();
        const Matrix<TypeParam> C = codes.columns.to_dense();
        for (Index i = 0; i < n; ++i) {
          const double lambda = codes.lambda[i];
          const auto c = test::lasso_conditions(
              D1, X.col(i).template cast<double>(), C.col(i).template cast<double>(), lambda);
          ASSERT_LE(c.violation, test::promised_violation<TypeParam>(lambda, c.lambda_max))
              << "sample " << i;
          ASSERT_EQ(c.nonzeros, options.code_nonzeros.value_or(c.nonzeros));
        }
      }
    }
  }
}

TYPED_TEST(SecondCoding, UsesWhatTheFirstLeft) {
  const Matrix<TypeParam> X = test::gaussian(m, 3, 35).cast<TypeParam>();
  const auto batch = Batch<TypeParam>::dense(X);
  const CodingOptions options = test::with_lambda(Coder::Lars, 0.7);
  const auto before = this->dictionary(true, k_old), after = this->dictionary(true, k);
  const CodingDictionary<TypeParam> old_atoms(before, AtomNorm::Raw);
  const CodingDictionary<TypeParam> all_atoms(after, AtomNorm::Raw);
  KnownProducts<TypeParam> products;
  encode_checked(old_atoms, batch, options, {}, this->pool_, &products);
  products.correlated[0].narrow.setZero();  // as if no old atom had to do with the samples
  const auto codes = encode_checked(all_atoms, batch, options, {}, this->pool_, &products);
  EXPECT_GT(codes.columns.nonzeros(), 0);
  EXPECT_TRUE(codes.columns.to_dense().topRows(k_old).isZero(0));
}

}  // namespace
}  // namespace nodl
