// Samples back from codes: dense and sparse ones, by atoms and by slots, and what is refused.
#include "nodl/decode.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "nodl/error.h"
#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class Decode : public ::testing::Test {
 protected:
  Decode() : dictionary_(3) {
    Matrix<Scalar> atoms(3, 2);
    atoms << 3, 0,  //
        -3, 2,      //
        0, 4;
    dictionary_.append(atoms, std::vector<AtomRecord>(2));
  }

  Matrix<Scalar> decoded(const Batch<Scalar>& codes,
                         const std::vector<RowIndex>& atom_of = {0, 1},
                         AtomNorm norm = AtomNorm::Raw) const {
    const CodingDictionary<Scalar> coding(dictionary_, norm);
    Matrix<Scalar> samples = Matrix<Scalar>::Ones(7, 7);  // of an earlier batch
    decode<Scalar>(coding, atom_of, codes, 40, samples);
    return samples;
  }
  Matrix<Scalar> decoded(const Matrix<Scalar>& codes,
                         const std::vector<RowIndex>& atom_of = {0, 1},
                         AtomNorm norm = AtomNorm::Raw) const {
    return decoded(Batch<Scalar>::dense(codes), atom_of, norm);
  }
  template <class Error>
  std::string refusal(const Matrix<Scalar>& codes,
                      const std::vector<RowIndex>& atom_of = {0, 1},
                      AtomNorm norm = AtomNorm::Raw) const {
    try {
      decoded(codes, atom_of, norm);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Dictionary<Scalar> dictionary_;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Decode, Scalars);

TYPED_TEST(Decode, ByHand) {
  const Matrix<TypeParam> codes{{1, 0, 2}, {0.5, 0, -1}};
  const Matrix<TypeParam> expected{{3, 0, 6}, {-2, 0, -8}, {2, 0, -4}};
  EXPECT_EQ(this->decoded(codes), expected);
}

TYPED_TEST(Decode, SparseCodesToo) {
  SparseMatrix<TypeParam> codes;
  codes.rows = 2;
  codes.push(0, 2);
  codes.push(1, -1);
  codes.end_column();
  codes.end_column();
  codes.push(1, 0.5);
  codes.end_column();
  const Matrix<TypeParam> expected{{6, 0, 0}, {-8, 0, 1}, {-4, 0, 2}};
  EXPECT_EQ(this->decoded(Batch<TypeParam>::sparse(codes)), expected);
}

TYPED_TEST(Decode, NoCodesGiveNoSamples) {
  const Matrix<TypeParam> samples = this->decoded(Matrix<TypeParam>(2, 0));
  EXPECT_EQ(samples.rows(), 3);
  EXPECT_EQ(samples.cols(), 0);
}

TYPED_TEST(Decode, ColumnsStandForTheAtomsInThem) {
  const Matrix<TypeParam> codes{{0.5}, {0}, {1}, {0}};
  const Matrix<TypeParam> expected{{3}, {-2}, {2}};
  EXPECT_EQ(this->decoded(codes, {1, -1, 0, -1}), expected);
}

TYPED_TEST(Decode, AColumnWithoutAnAtomMayNotBeUsed) {
  const Matrix<TypeParam> codes{{0.5}, {0}, {1}, {1e-30f}};
  EXPECT_EQ(this->template refusal<DataError>(codes, {1, -1, 0, -1}),
            "a code uses column 4, which has no atom");
}

TYPED_TEST(Decode, CentredAtomsTakeTheMeanInOneMore) {
  const Matrix<TypeParam> codes{{0}, {2}, {10}};
  const Matrix<TypeParam> plain = codes.topRows(2);
  const Matrix<TypeParam> centred = this->decoded(plain, {0, 1}, AtomNorm::Centered);
  EXPECT_NEAR(centred.sum(), 0, 8 * test::epsilon<TypeParam>());
  EXPECT_NEAR(centred.norm(), 2, 8 * test::epsilon<TypeParam>());
  const Matrix<TypeParam> whole = this->decoded(codes, {0, 1}, AtomNorm::Centered);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(whole(i), centred(i) + 10, 16 * test::epsilon<TypeParam>());
  }
}

TYPED_TEST(Decode, OtherWidthsAreRefused) {
  const Matrix<TypeParam> three = Matrix<TypeParam>::Zero(3, 1);
  for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit}) {
    EXPECT_EQ(this->template refusal<ShapeMismatch>(three, {0, 1}, norm),
              "codes have 3 columns, the model's have 2");
  }
  for (const Index rows : {0, 1, 4}) {
    const Matrix<TypeParam> codes = Matrix<TypeParam>::Zero(rows, 1);
    EXPECT_EQ(
        this->template refusal<ShapeMismatch>(codes, {0, 1}, AtomNorm::Centered),
        "codes have " + std::to_string(rows) + " columns, the model's have 2, or 3 with the mean");
  }
}

TYPED_TEST(Decode, SamplesThatWouldNotBeFiniteAreRefused) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam bad : {Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    const Matrix<TypeParam> codes{{1, 1, 1}, {0, bad, bad}};
    EXPECT_EQ(this->template refusal<DataError>(codes), "code 42: its sample would not be finite");
  }
}

}  // namespace
}  // namespace nodl
