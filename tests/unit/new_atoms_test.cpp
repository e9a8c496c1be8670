// Step 7: what new atoms look like: random, samples, or sparse directions of the residual.
#include <gtest/gtest.h>

#include <cmath>

#include "nodl/birth.h"
#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class NewAtoms : public ::testing::Test {
 protected:
  ThreadPool pool_{2};
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NewAtoms, Scalars);

TYPED_TEST(NewAtoms, RandomOnesAreCentredWithUnitNorm) {
  const auto D =
      random_atoms<TypeParam>(100, 8, 1, Purpose::NewbornAtom, 2).template cast<double>().eval();
  ASSERT_EQ(D.rows(), 100);
  ASSERT_EQ(D.cols(), 8);
  for (Index j = 0; j < 8; ++j) {
    // Every entry (about 0.1) is rounded once; roundings add up like a random walk, at worst.
    EXPECT_NEAR(D.col(j).sum(), 0, 100 * 0.2 * test::epsilon<TypeParam>());
    EXPECT_NEAR(D.col(j).norm(), 1, 4 * test::epsilon<TypeParam>());
  }
}

TYPED_TEST(NewAtoms, RandomOnesComeFromAUniform) {
  // Before centring and scaling: flat on (0, 1), so the largest |entry| is near sqrt(3 / m), and
  // the fourth moment is 9/5 of the squared second one (a normal has 3).
  const auto d =
      random_atoms<TypeParam>(100000, 1, 1, Purpose::InitialAtom, 0).template cast<double>().eval();
  EXPECT_NEAR(d.cwiseAbs().maxCoeff() * std::sqrt(100000.0 / 3), 1, 0.01);
  EXPECT_NEAR(100000 * d.array().pow(4).sum(), 1.8, 0.03);
}

TYPED_TEST(NewAtoms, RandomOnesDoNotDependOnTheirNumber) {
  const auto few = random_atoms<TypeParam>(50, 3, 7, Purpose::NewbornAtom, 4);
  const auto many = random_atoms<TypeParam>(50, 20, 7, Purpose::NewbornAtom, 4);
  EXPECT_TRUE(many.leftCols(3) == few);
  EXPECT_TRUE((random_atoms<TypeParam>(50, 3, 7, Purpose::NewbornAtom, 4) == few));
}

TYPED_TEST(NewAtoms, RandomOnesDifferBySeedPurposeBatchAndNumber) {
  const auto base = random_atoms<TypeParam>(50, 2, 7, Purpose::NewbornAtom, 4);
  const auto product = [&](const Matrix<TypeParam>& other) {
    return std::abs(static_cast<double>(base.col(0).dot(other.col(0))));
  };
  // Independent directions in 49 dimensions: products of about 1/7; 5 sigma is 0.7.
  EXPECT_LT(product(random_atoms<TypeParam>(50, 1, 8, Purpose::NewbornAtom, 4)), 0.7);
  EXPECT_LT(product(random_atoms<TypeParam>(50, 1, 7, Purpose::InitialAtom, 4)), 0.7);
  EXPECT_LT(product(random_atoms<TypeParam>(50, 1, 7, Purpose::NewbornAtom, 5)), 0.7);
  EXPECT_LT(product(base.rightCols(1)), 0.7);
}

TYPED_TEST(NewAtoms, RandomOnesOfOneCoordinateAreFinite) {
  // Nothing is left of one entry once it is centred.
  EXPECT_TRUE(random_atoms<TypeParam>(1, 3, 1, Purpose::NewbornAtom, 1).allFinite());
  EXPECT_EQ(random_atoms<TypeParam>(5, 0, 1, Purpose::NewbornAtom, 1).cols(), 0);
}

TYPED_TEST(NewAtoms, SamplesAreTheWorstRepresented) {
  const Matrix<TypeParam> X = test::gaussian(15, 5, 3).cast<TypeParam>();
  const std::vector<double> correlation = {0.9, 0.2, 0.7, -0.1, 0.5};
  for (const bool sparse_input : {false, true}) {
    const SparseMatrix<TypeParam> sparse = test::to_sparse<TypeParam>(X);
    const auto batch = sparse_input ? Batch<TypeParam>::sparse(sparse) : Batch<TypeParam>::dense(X);
    const auto atoms = sample_atoms(batch, correlation, 2, AtomNorm::Raw);
    ASSERT_EQ(atoms.cols(), 2);
    for (const Index worst : {3, 1}) {
      const Vector<TypeParam> wanted = X.col(worst).normalized();
      const auto found = (atoms.transpose() * wanted).cwiseAbs().maxCoeff();
      EXPECT_NEAR(found, 1, 64 * test::epsilon<TypeParam>()) << "sample " << worst;
    }
    for (Index j = 0; j < 2; ++j) {
      EXPECT_NEAR(atoms.col(j).template cast<double>().norm(), 1, 16 * test::epsilon<TypeParam>());
    }
  }
}

TYPED_TEST(NewAtoms, ZeroAndConstantSamplesGiveFiniteAtoms) {
  Matrix<TypeParam> X = Matrix<TypeParam>::Zero(6, 3);
  X.col(1).setConstant(3);
  const std::vector<double> correlation = {0, 0, 0};
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
    const auto atoms = sample_atoms(Batch<TypeParam>::dense(X), correlation, 3, norm);
    EXPECT_TRUE(atoms.allFinite()) << name_of(norm);
  }
}

// The residual is one direction on three coordinates, and noise a hundred times smaller.
TYPED_TEST(NewAtoms, ResidualsFindTheDirectionThatIsMissing) {
  Vector<double> direction = Vector<double>::Zero(30);
  direction(4) = 0.6;
  direction(11) = -0.64;
  direction(25) = 0.48;
  const Matrix<double> weights = test::gaussian(1, 40, 4);
  const Matrix<double> wide = direction * weights + 0.01 * test::gaussian(30, 40, 5);
  const Matrix<TypeParam> X = wide.cast<TypeParam>();
  const auto dictionary = test::dictionary_of<TypeParam>(Matrix<TypeParam>::Identity(30, 1));
  const CodingDictionary<TypeParam> coding(dictionary, AtomNorm::Raw);
  Codes<TypeParam> none;
  none.columns.rows = 1;
  for (int n = 0; n < 40; ++n) none.columns.end_column();
  none.lambda.assign(40, 0);
  const auto atoms = residual_atoms(coding, Batch<TypeParam>::dense(X), none, 1, 3, this->pool_);
  ASSERT_EQ(atoms.cols(), 1);
  const Vector<double> found = atoms.col(0).template cast<double>();
  EXPECT_NEAR(std::abs(found.dot(direction)), 1, 0.01);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(found(i) != 0, direction(i) != 0) << i;
}

TYPED_TEST(NewAtoms, ResidualsRespectTheNonzerosOfAtoms) {
  const Matrix<TypeParam> X = test::gaussian(40, 25, 6).cast<TypeParam>();
  const SparseMatrix<TypeParam> sparse = test::to_sparse<TypeParam>(X);
  const Matrix<TypeParam> D = test::sparse_gaussian(40, 10, 5, 7).cast<TypeParam>();
  const auto dictionary = test::dictionary_of<TypeParam>(D, 10);
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Centered}) {
    const CodingDictionary<TypeParam> coding(dictionary, norm);
    const CodingOptions options = test::with_count(Coder::Lars, 4, norm);
    for (const auto& batch : {Batch<TypeParam>::dense(X), Batch<TypeParam>::sparse(sparse)}) {
      const auto codes = encode(coding, batch, options, {}, this->pool_);
      for (const Index nonzeros : {1, 5, 39, 40, 100}) {
        const auto atoms = residual_atoms(coding, batch, codes, 8, nonzeros, this->pool_);
        ASSERT_EQ(atoms.rows(), 40);
        ASSERT_LE(atoms.cols(), 8);
        EXPECT_TRUE(atoms.allFinite());
        for (Index j = 0; j < atoms.cols(); ++j) {
          EXPECT_LE((atoms.col(j).array() != 0).count(), nonzeros);
          EXPECT_NEAR(
              atoms.col(j).template cast<double>().norm(), 1, 64 * test::epsilon<TypeParam>());
        }
      }
    }
  }
}

TYPED_TEST(NewAtoms, NoResidualGivesFiniteAtoms) {
  const Matrix<TypeParam> X = Matrix<TypeParam>::Zero(12, 5);
  const auto dictionary = test::dictionary_of<TypeParam>(Matrix<TypeParam>::Identity(12, 3));
  const CodingDictionary<TypeParam> coding(dictionary, AtomNorm::Raw);
  const auto codes =
      encode(coding, Batch<TypeParam>::dense(X), test::with_count(Coder::Lars, 2), {}, this->pool_);
  const auto atoms = residual_atoms(coding, Batch<TypeParam>::dense(X), codes, 4, 3, this->pool_);
  EXPECT_TRUE(atoms.allFinite());
}

}  // namespace
}  // namespace nodl
