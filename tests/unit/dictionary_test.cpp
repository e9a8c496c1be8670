// The dictionary: births, deaths, identity of atoms, and the two ways of storing them.
#include "nodl/dictionary.h"

#include <gtest/gtest.h>

#include <vector>

#include "nodl/coding_dictionary.h"
#include "support/problems.h"
#include "support/simple_coders.h"

namespace nodl {
namespace {

template <class Scalar>
class DictionaryTest : public ::testing::Test {
 protected:
  // 10 atoms of dimension 8 with 3 nonzeros; atom 4 is zero.
  static Matrix<Scalar> atoms() {
    Matrix<Scalar> D = test::sparse_gaussian(8, 10, 3, 1).cast<Scalar>();
    D.col(4).setZero();
    return D;
  }
  static std::vector<Scalar> atom(const Dictionary<Scalar>& dictionary, Index j) {
    std::vector<Scalar> values(static_cast<std::size_t>(dictionary.dimension()), Scalar(-1));
    dictionary.copy_atom(j, values.data());
    return values;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DictionaryTest, Scalars);

TYPED_TEST(DictionaryTest, StartsEmpty) {
  const Dictionary<TypeParam> dictionary(8);
  EXPECT_EQ(dictionary.dimension(), 8);
  EXPECT_EQ(dictionary.size(), 0);
  EXPECT_EQ(dictionary.alive(), 0);
  EXPECT_EQ(dictionary.to_dense().rows(), 8);
  EXPECT_EQ(dictionary.to_dense().cols(), 0);
}

TYPED_TEST(DictionaryTest, HoldsTheSameAtomsHoweverTheyAreStored) {
  const auto D = this->atoms();
  for (const Index sparse_count : {0, 4, 10}) {
    const auto dictionary = test::dictionary_of<TypeParam>(D, sparse_count);
    EXPECT_EQ(dictionary.size(), 10);
    EXPECT_EQ(dictionary.sparse_size(), sparse_count);
    EXPECT_EQ(dictionary.alive(), 9);
    EXPECT_TRUE(dictionary.to_dense() == D) << "bitwise";
    for (Index j = 0; j < 10; ++j) {
      EXPECT_EQ(dictionary.is_zero(j), j == 4);
      const auto values = this->atom(dictionary, j);
      EXPECT_TRUE((Eigen::Map<const Vector<TypeParam>>(values.data(), 8) == D.col(j)));
      EXPECT_EQ(dictionary.records()[j].id, j);
    }
  }
}

TYPED_TEST(DictionaryTest, AppendLeavesOldAtomsUntouched) {
  const auto D = this->atoms();
  auto dictionary = test::dictionary_of<TypeParam>(D, 10);
  const Matrix<TypeParam> newborn = test::gaussian(8, 3, 2).cast<TypeParam>();
  std::vector<AtomRecord> records = test::records(3, 50);
  records[1].birth_batch = 7;
  dictionary.append(newborn, records);
  EXPECT_EQ(dictionary.size(), 13);
  EXPECT_EQ(dictionary.sparse_size(), 10);
  EXPECT_TRUE(dictionary.to_dense().leftCols(10) == D);
  EXPECT_TRUE(dictionary.to_dense().rightCols(3) == newborn);
  EXPECT_EQ(dictionary.records()[0].id, 0);
  EXPECT_EQ(dictionary.records()[11], records[1]);
}

TYPED_TEST(DictionaryTest, AppendingNothingIsFine) {
  auto dictionary = test::dictionary_of<TypeParam>(this->atoms(), 4);
  dictionary.append(Matrix<TypeParam>(8, 0), {});
  EXPECT_EQ(dictionary.size(), 10);
  EXPECT_TRUE(dictionary.to_dense() == this->atoms());
}

TYPED_TEST(DictionaryTest, KeepLeavesSurvivorsAndTheirIdsUntouched) {
  const auto D = this->atoms();
  for (const Index sparse_count : {0, 4, 10}) {
    auto dictionary = test::dictionary_of<TypeParam>(D, sparse_count);
    dictionary.records()[6].uses = 12;
    std::vector<bool> keep(10, true);
    for (const int j : {0, 3, 4, 9}) keep[j] = false;
    dictionary.keep(keep);
    const std::vector<Index> left = {1, 2, 5, 6, 7, 8};
    ASSERT_EQ(dictionary.size(), 6);
    EXPECT_EQ(dictionary.alive(), 6);
    for (Index j = 0; j < 6; ++j) {
      EXPECT_TRUE(dictionary.to_dense().col(j) == D.col(left[j]));
      EXPECT_EQ(dictionary.records()[j].id, left[j]);
    }
    EXPECT_EQ(dictionary.records()[3].uses, 12);
    EXPECT_EQ(dictionary.sparse_size(), sparse_count == 0 ? 0 : sparse_count == 4 ? 2 : 6);
  }
}

TYPED_TEST(DictionaryTest, KeepAllAndKeepNone) {
  auto dictionary = test::dictionary_of<TypeParam>(this->atoms(), 4);
  dictionary.keep(std::vector<bool>(10, true));
  EXPECT_TRUE(dictionary.to_dense() == this->atoms());
  dictionary.keep(std::vector<bool>(10, false));
  EXPECT_EQ(dictionary.size(), 0);
  EXPECT_EQ(dictionary.dimension(), 8);
  EXPECT_TRUE(dictionary.records().empty());
}

// Birth and death commute with a permutation of atoms.
TYPED_TEST(DictionaryTest, KeepCommutesWithPermutations) {
  const auto D = this->atoms();
  const std::vector<Index> order = test::permutation(10, 3);
  Matrix<TypeParam> permuted(8, 10);
  std::vector<bool> keep(10), keep_permuted(10);
  for (Index j = 0; j < 10; ++j) {
    permuted.col(j) = D.col(order[j]);
    keep[j] = j % 3 != 0;
  }
  for (Index j = 0; j < 10; ++j) keep_permuted[j] = keep[order[j]];
  auto dictionary = test::dictionary_of<TypeParam>(permuted);
  dictionary.keep(keep_permuted);
  Index next = 0;
  for (Index j = 0; j < 10; ++j) {
    if (!keep[order[j]]) continue;
    EXPECT_TRUE(dictionary.to_dense().col(next++) == D.col(order[j]));
  }
  EXPECT_EQ(dictionary.size(), next);
}

TYPED_TEST(DictionaryTest, ReplaceAtomKeepsTheStorage) {
  for (const Index sparse_count : {0, 4, 10}) {
    auto expected = this->atoms();
    auto dictionary = test::dictionary_of<TypeParam>(expected, sparse_count);
    Vector<TypeParam> values = Vector<TypeParam>::Zero(8);
    values(1) = 2;
    values(6) = -1;
    for (const Index j : {0, 4, 9}) {
      dictionary.replace_atom(j, values.data());
      expected.col(j) = values;
    }
    const Vector<TypeParam> zero = Vector<TypeParam>::Zero(8);
    dictionary.replace_atom(2, zero.data());
    expected.col(2).setZero();
    EXPECT_TRUE(dictionary.to_dense() == expected);
    EXPECT_EQ(dictionary.sparse_size(), sparse_count);
    EXPECT_EQ(dictionary.alive(), 9);
    EXPECT_EQ(dictionary.records()[9].id, 9);
  }
}

TYPED_TEST(DictionaryTest, ReplaceBySparseKeepsTheRecords) {
  auto dictionary = test::dictionary_of<TypeParam>(this->atoms(), 3);
  const Matrix<TypeParam> other = test::sparse_gaussian(8, 10, 2, 4).cast<TypeParam>();
  dictionary.replace_by_sparse(test::to_sparse<TypeParam>(other));
  EXPECT_EQ(dictionary.sparse_size(), 10);
  EXPECT_TRUE(dictionary.to_dense() == other);
  EXPECT_EQ(dictionary.records()[9].id, 9);
}

TYPED_TEST(DictionaryTest, GramMatrixOfManyAtomsIsSymmetricToTheBit) {
  constexpr Index kDimension = 200;  // longer than what one pass of the product takes
  ThreadPool one(1), two(2);
  for (const Index k : {47, 48, 131}) {
    const Matrix<TypeParam> D = test::gaussian(kDimension, k, 3).cast<TypeParam>();
    const Matrix<double> wide = D.template cast<double>();
    for (const Index sparse_count : {0, 40}) {
      const auto dictionary = test::dictionary_of<TypeParam>(D, sparse_count);
      const CodingDictionary<TypeParam> coding(dictionary, AtomNorm::Raw);
      const Matrix<TypeParam> gram = coding.gram(two);
      EXPECT_LE((gram.template cast<double>() - wide.transpose() * wide).cwiseAbs().maxCoeff(),
                kDimension * kDimension * test::epsilon<TypeParam>());
      EXPECT_EQ(gram, gram.transpose());
      EXPECT_EQ(gram, coding.gram(one));
    }
  }
}

// The atoms as coding sees them, against the definition, for every storage.
TYPED_TEST(DictionaryTest, CodingSeesNormalisedAtoms) {
  Matrix<TypeParam> D = this->atoms();
  D.col(7).setConstant(static_cast<TypeParam>(0.3));  // zero once centred
  D.col(8) *= 100;
  ThreadPool pool(2);
  const double slack = 32 * test::epsilon<TypeParam>();
  const Matrix<TypeParam> X = test::gaussian(8, 5, 5).cast<TypeParam>();
  for (const Index sparse_count : {0, 4, 10}) {
    const auto dictionary = test::dictionary_of<TypeParam>(D, sparse_count);
    for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
      SCOPED_TRACE(std::string(name_of(norm)) + ", sparse " + std::to_string(sparse_count));
      Matrix<double> expected = test::simple_normalised(D.template cast<double>(), norm);
      if (norm == AtomNorm::Centered) expected.col(7).setZero();
      const CodingDictionary<TypeParam> coding(dictionary, norm);
      const double scale = norm == AtomNorm::Raw ? 1e4 : 1;  // largest squared norm
      EXPECT_LE((coding.to_dense().template cast<double>() - expected).cwiseAbs().maxCoeff(),
                slack * std::sqrt(scale));
      const Matrix<double> gram = coding.gram(pool).template cast<double>();
      EXPECT_LE((gram - expected.transpose() * expected).cwiseAbs().maxCoeff(), slack * scale);
      Matrix<TypeParam> correlations(10, 5);
      coding.correlate(Batch<TypeParam>::dense(X), correlations.data());
      const Matrix<double> wanted = expected.transpose() * X.template cast<double>();
      EXPECT_LE((correlations.template cast<double>() - wanted).cwiseAbs().maxCoeff(),
                8 * slack * std::sqrt(scale));
      Matrix<TypeParam> product(8, 3);
      const Matrix<TypeParam> V = test::gaussian(10, 3, 6).cast<TypeParam>();
      coding.multiply(V, product);
      EXPECT_LE((product.template cast<double>() - expected * V.template cast<double>())
                    .cwiseAbs()
                    .maxCoeff(),
                8 * slack * std::sqrt(scale));
      const std::vector<RowIndex> used = {1, 4, 7, 9};
      const std::vector<TypeParam> code = {2, 5, 1, -1};
      Vector<TypeParam> rebuilt = Vector<TypeParam>::Zero(8);
      const TypeParam constant = coding.synthesize(4, used.data(), code.data(), rebuilt.data());
      const Vector<double> whole = rebuilt.template cast<double>().array() + constant;
      const Vector<double> target =
          2 * expected.col(1) + 5 * expected.col(4) + expected.col(7) - expected.col(9);
      EXPECT_LE((whole - target).cwiseAbs().maxCoeff(), 8 * slack * std::sqrt(scale));
    }
  }
}

}  // namespace
}  // namespace nodl
