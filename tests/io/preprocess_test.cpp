#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "io/files.h"
#include "nodl/io/sample_stream.h"

namespace nodl::io::test {
namespace {

SparseMatrix<double> sparse(const Matrix<double>& dense) {
  SparseMatrix<double> out;
  out.rows = dense.rows();
  for (Index j = 0; j < dense.cols(); ++j) {
    for (Index i = 0; i < dense.rows(); ++i) {
      if (dense(i, j) != 0) out.push(i, dense(i, j));
    }
    out.end_column();
  }
  return out;
}

const Matrix<double> kSamples = rows({{3, 0, 4, 0}, {0, 0, 0, 0}, {1, 2, 3, 6}});

Matrix<double> dense_of(const Batch<double>& batch) {
  if (!batch.is_sparse()) return batch.matrix();
  Matrix<double> out = Matrix<double>::Zero(batch.dimension(), batch.samples());
  const SparseColumns<double>& columns = batch.columns();
  for (Index j = 0; j < columns.cols; ++j) {
    for (Index p = columns.starts[j]; p < columns.starts[j + 1]; ++p) {
      out(columns.indices[p], j) = columns.values[p];
    }
  }
  return out;
}

TEST(Preprocess, ReturnsTheBatchWhereNothingIsAsked) {
  SampleBuffer<double> buffer;
  const Batch<double> batch = Batch<double>::dense(kSamples);
  EXPECT_EQ(preprocess(batch, {}, buffer).sample(0), kSamples.data());
}

TEST(Preprocess, CentersScalesToUnitAndMultiplies) {
  SampleBuffer<double> buffer;
  const Batch<double> batch = Batch<double>::dense(kSamples);
  EXPECT_EQ(dense_of(preprocess(batch, {.center = true}, buffer)),
            rows({{1.25, -1.75, 2.25, -1.75}, {0, 0, 0, 0}, {-2, -1, 0, 3}}));
  EXPECT_EQ(dense_of(preprocess(batch, {.scale_to_unit = true}, buffer)).col(0),
            rows({{0.6, 0, 0.8, 0}}).col(0));
  EXPECT_EQ(dense_of(preprocess(batch, {.scale = 0.5}, buffer)), 0.5 * kSamples);
  const Matrix<double> all =
      dense_of(preprocess(batch, {.center = true, .scale_to_unit = true, .scale = 2}, buffer));
  EXPECT_NEAR(all.col(2).norm(), 2, 1e-15);
  EXPECT_NEAR(all.col(2).sum(), 0, 1e-15);
  EXPECT_EQ(all.col(1).norm(), 0);
  EXPECT_EQ(kSamples(0, 0), 3);  // the input stays as it is
}

TEST(Preprocess, SparseGivesTheSameBits) {
  const SparseMatrix<double> columns = sparse(kSamples);
  for (const bool center : {false, true}) {
    const PreprocessOptions options{.center = center, .scale_to_unit = true, .scale = 0.3};
    SampleBuffer<double> dense_buffer, sparse_buffer;
    const Batch<double> from_dense =
        preprocess(Batch<double>::dense(kSamples), options, dense_buffer);
    const Batch<double> from_sparse =
        preprocess(Batch<double>::sparse(columns), options, sparse_buffer);
    EXPECT_EQ(from_sparse.is_sparse(), !center);
    EXPECT_EQ(dense_of(from_sparse), dense_of(from_dense));
  }
}

TEST(Preprocess, WorksOnPartsAndInPlace) {
  SparseMatrix<double> columns = sparse(kSamples);
  SampleBuffer<double> buffer;
  const Batch<double> part = Batch<double>::sparse(columns).middle(2, 1);
  EXPECT_EQ(dense_of(preprocess(part, {.scale = 2}, buffer)), 2 * kSamples.col(2));
  buffer.sparse = columns;
  EXPECT_EQ(dense_of(preprocess(Batch<double>::sparse(buffer.sparse), {.scale = 2}, buffer)),
            2 * kSamples);
  buffer.dense = kSamples;
  EXPECT_EQ(
      dense_of(preprocess(Batch<double>::dense(buffer.dense).middle(1, 2), {.scale = 2}, buffer)),
      2 * kSamples.rightCols(2));
  const Batch<double> every_second = Batch<double>::dense(kSamples.data(), 4, 2, 8);
  EXPECT_EQ(dense_of(preprocess(every_second, {.scale = 2}, buffer)).col(1), 2 * kSamples.col(2));
}

TEST(Preprocess, AConstantSampleIsZeroOnceCentred) {
  const Matrix<double> constant = Matrix<double>::Constant(10, 1, 0.1);
  SampleBuffer<double> buffer;
  const PreprocessOptions options{.center = true, .scale_to_unit = true};
  EXPECT_EQ(dense_of(preprocess(Batch<double>::dense(constant), options, buffer)),
            (Matrix<double>::Zero(10, 1)));
}

TEST(Preprocess, NormsNeitherOverflowNorVanish) {
  SampleBuffer<double> buffer;
  const Matrix<double> extreme = rows({{3e300, 4e300}, {3e-300, 4e-300}});
  const Matrix<double> unit =
      dense_of(preprocess(Batch<double>::dense(extreme), {.scale_to_unit = true}, buffer));
  EXPECT_NEAR(unit(0, 0), 0.6, 1e-15);
  EXPECT_NEAR(unit(1, 1), 0.8, 1e-15);
  EXPECT_EQ(error_of([&] { preprocess(Batch<double>::dense(extreme), {.scale = 1e10}, buffer); }),
            "a sample is too large for its numbers after centring and scaling");
}

}  // namespace
}  // namespace nodl::io::test
