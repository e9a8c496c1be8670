// Codes are searched for in float32: the promise holds all the same where the numbers that matter
// are small beside others in the sample, and where they leave the range of float32.
#include <gtest/gtest.h>

#include "nodl/encoder.h"
#include "support/lasso_conditions.h"
#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class LassoScale : public ::testing::Test {
 protected:
  static constexpr Index m = 144, k = 256, n = 60;

  LassoScale() : D_(test::unit_columns(test::gaussian(m, k, 1))) {
    X_ = D_ * test::sparse_gaussian(k, n, 12, 2) + 0.05 * test::gaussian(m, n, 3);
  }

  void check(const Matrix<double>& samples, const CodingOptions& options) {
    const Dictionary<Scalar> atoms = test::dictionary_of<Scalar>(D_.cast<Scalar>());
    const CodingDictionary<Scalar> coding(atoms, options.atom_norm);
    const Matrix<Scalar> X = samples.cast<Scalar>();
    const auto codes = encode(coding, Batch<Scalar>::dense(X), options, {}, pool_);
    const Matrix<double> D1 = coding.to_dense().template cast<double>();
    const Matrix<double> C = codes.columns.to_dense().template cast<double>();
    ASSERT_GT(codes.columns.nonzeros(), 0);
    for (Index i = 0; i < X.cols(); ++i) {
      Vector<double> x = X.col(i).template cast<double>();
      if (options.atom_norm == AtomNorm::Centered) x.array() -= x.mean();
      const auto lambda = static_cast<double>(codes.lambda[i]);
      const test::LassoConditions c = test::lasso_conditions(D1, x, C.col(i), lambda);
      ASSERT_LE(c.violation,
                test::promised_violation<Scalar>(lambda, c.lambda_max) + 8 * c.rounding)
          << "sample " << i << ", lambda " << lambda;
    }
  }

  Matrix<double> D_, X_;
  ThreadPool pool_{1};
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(LassoScale, Precisions);

TYPED_TEST(LassoScale, LargeMeansDoNotMatterToCentredAtoms) {
  for (const double offset : {1e3, 1e4, 1e5, 1e6}) {
    SCOPED_TRACE(offset);
    const Matrix<double> X = this->X_.array() + offset;
    for (const Coder coder : {Coder::Lars, Coder::Cd}) {
      this->check(X, test::with_lambda(coder, 0.1, AtomNorm::Centered));
      this->check(X, test::with_lambda(coder, 0.3, AtomNorm::Centered));
    }
    this->check(X, test::with_count(Coder::Lars, 20, AtomNorm::Centered));
  }
}

TYPED_TEST(LassoScale, LargePartsThatNoAtomSees) {
  // Orthogonal to the atoms of the first half of the coordinates: only these are left.
  this->D_.bottomRows(this->m / 2).setZero();
  for (const double size : {1e3, 1e4, 1e5}) {
    SCOPED_TRACE(size);
    Matrix<double> X = this->X_;
    X.bottomRows(this->m / 2) *= size;
    this->check(X, test::with_lambda(Coder::Lars, 0.1, AtomNorm::Unit));
    this->check(X, test::with_count(Coder::Lars, 20, AtomNorm::Unit));
  }
}

TYPED_TEST(LassoScale, OneHugeNumberASample) {
  Matrix<double> X = this->X_;
  X.row(3).setConstant(9.97e36);  // a usual mark of missing values in single precision
  this->check(X, test::with_lambda(Coder::Lars, 0.1, AtomNorm::Unit));
  this->check(X, test::with_lambda(Coder::Lars, 1e34, AtomNorm::Centered));
}

TYPED_TEST(LassoScale, SizesAtTheEndsOfFloat32) {
  for (const double size : {1e-25, 1e-15, 1e15, 1e25}) {
    SCOPED_TRACE(size);
    this->check(size * this->X_, test::with_lambda(Coder::Lars, 0.1 * size, AtomNorm::Unit));
    this->check(size * this->X_, test::with_count(Coder::Lars, 20, AtomNorm::Unit));
  }
}

using WideScale = LassoScale<double>;
TEST_F(WideScale, SizesBeyondFloat32) {
  for (const double size : {1e-50, 1e40, 1e100}) {
    SCOPED_TRACE(size);
    check(size * X_, test::with_lambda(Coder::Lars, 0.1 * size, AtomNorm::Unit));
    check(size * X_, test::with_count(Coder::Lars, 20, AtomNorm::Unit));
  }
}

}  // namespace
}  // namespace nodl
