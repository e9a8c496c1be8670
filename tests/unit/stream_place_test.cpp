#include "nodl/stream_place.h"

#include <gtest/gtest.h>

#include <set>

#include "nodl/random.h"

namespace nodl {
namespace {

Matrix<double> some_samples(Index dimension, Index samples) {
  Random random(7, Purpose::InitialAtom);
  Matrix<double> x(dimension, samples);
  for (Index i = 0; i < x.size(); ++i) {
    const double u = random.uniform();
    x.data()[i] = u < 0.5 ? 0.0 : static_cast<float>(u);  // zeros, and exact in both precisions
  }
  return x;
}

template <class Scalar>
SparseMatrix<Scalar> to_sparse(const Matrix<Scalar>& x) {
  SparseMatrix<Scalar> out;
  out.rows = x.rows();
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      if (x(i, j) != 0) out.push(i, x(i, j));
    }
    out.end_column();
  }
  return out;
}

SampleDigest digest(const Matrix<double>& x) { return digest_of(Batch<double>::dense(x)); }

TEST(SampleDigest, DoesNotDependOnStorageNorPrecision) {
  const Matrix<double> x = some_samples(13, 9);
  const Matrix<float> single = x.cast<float>();
  const SampleDigest dense = digest(x);
  EXPECT_EQ(dense.samples, 9);
  EXPECT_EQ(digest_of(Batch<double>::sparse(to_sparse(x))), dense);
  EXPECT_EQ(digest_of(Batch<float>::dense(single)), dense);
  EXPECT_EQ(digest_of(Batch<float>::sparse(to_sparse(single))), dense);
}

TEST(SampleDigest, DoesNotDependOnTheCut) {
  const Matrix<double> x = some_samples(5, 12);
  for (Index first = 0; first <= 12; ++first) {
    SampleDigest joined = digest(x.leftCols(first));
    joined.append(digest(x.rightCols(12 - first)));
    EXPECT_EQ(joined, digest(x)) << first;
  }
}

TEST(SampleDigest, SeesEveryChange) {
  const Matrix<double> x = some_samples(6, 5);
  std::set<std::uint64_t> seen{digest(x).hash};
  std::size_t changes = 1;
  const auto expect_new = [&](const Matrix<double>& changed) {
    seen.insert(digest(changed).hash);
    EXPECT_EQ(seen.size(), ++changes);
  };
  for (Index i = 0; i < x.size(); ++i) {
    Matrix<double> changed = x;
    changed.data()[i] = std::nextafter(changed.data()[i], 2.0);
    expect_new(changed);
  }
  for (Index j = 1; j < x.cols(); ++j) {  // order of samples
    Matrix<double> changed = x;
    changed.col(j).swap(changed.col(0));
    expect_new(changed);
  }
  Matrix<double> longer = Matrix<double>::Zero(6, 6);  // a sample of zeros
  longer.leftCols(5) = x;
  expect_new(longer);
  Matrix<double> shifted = x;  // order of coordinates
  shifted.row(0).swap(shifted.row(1));
  expect_new(shifted);
}

TEST(SampleDigest, DoesNotTellMinusZeroFromZero) {
  Matrix<double> x = Matrix<double>::Zero(2, 1);
  const SampleDigest zero = digest(x);
  x(0, 0) = -0.0;
  EXPECT_EQ(digest(x), zero);
}

TEST(StreamPlace, KeepsAllAndTheLastBatch) {
  const Matrix<double> x = some_samples(4, 7);
  StreamPlace place;
  place.append_batch(digest(x.leftCols(3)));
  place.append_batch(digest(x.rightCols(4)));
  EXPECT_EQ(place.all, digest(x));
  EXPECT_EQ(place.last_batch, digest(x.rightCols(4)));
}

}  // namespace
}  // namespace nodl
