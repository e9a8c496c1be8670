#include <gtest/gtest.h>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

const Matrix<double> kRows = rows({{0, 1.5, 0}, {2, 0, -0.1}, {0, 0, 0}});

template <class Scalar>
ConstMatrixView<Scalar> view(const Matrix<Scalar>& m) {
  return {m.data(), m.rows(), m.cols(), Eigen::OuterStride<>(m.rows())};
}

SparseMatrix<double> sparse_rows() {
  SparseMatrix<double> out;
  out.rows = 3;
  out.push(1, 1.5);
  out.end_column();
  out.push(0, 2);
  out.push(1, 0);  // an explicit zero is not a nonzero
  out.push(2, -0.1);
  out.end_column();
  out.end_column();
  return out;
}

class Writer : public testing::Test {
 protected:
  std::string write_dense(const std::string& name) {
    write_rows(folder_.path(name), kRows);
    return bytes_of(folder_.path(name));
  }
  std::string write_sparse(const std::string& name) {
    const auto writer = RowWriter::create(folder_.path(name), 3);
    const SparseMatrix<double> all = sparse_rows();
    writer->write(all.view().middle(0, 1));
    writer->write(all.view().middle(1, 2));
    writer->finish();
    return bytes_of(folder_.path(name));
  }
  TemporaryFolder folder_;
};

TEST_F(Writer, WritesNpyAsNumpyDoes) {
  const std::string expected = npy("<f8", "(3, 3)", raw<double>({0, 1.5, 0, 2, 0, -0.1, 0, 0, 0}));
  EXPECT_EQ(write_dense("a.npy"), expected);
  EXPECT_EQ(write_sparse("a.npy"), expected);
  write_rows<float>(folder_.path("a.npy"), kRows.cast<float>());
  EXPECT_EQ(bytes_of(folder_.path("a.npy")),
            npy("<f4", "(3, 3)", raw<float>({0, 1.5, 0, 2, 0, -0.1f, 0, 0, 0})));
}

TEST_F(Writer, WritesTheShortestText) {
  EXPECT_EQ(write_dense("a.csv"), "0,1.5,0\n2,0,-0.1\n0,0,0\n");
  EXPECT_EQ(write_sparse("a.csv"), "0,1.5,0\n2,0,-0.1\n0,0,0\n");
  EXPECT_EQ(write_dense("a.tsv"), "0\t1.5\t0\n2\t0\t-0.1\n0\t0\t0\n");
  write_rows<float>(folder_.path("f.csv"), kRows.cast<float>());
  EXPECT_EQ(bytes_of(folder_.path("f.csv")), "0,1.5,0\n2,0,-0.1\n0,0,0\n");
}

TEST_F(Writer, WritesMatrixMarket) {
  const std::string padding(18, ' ');
  EXPECT_EQ(write_sparse("a.mtx"),
            "%%MatrixMarket matrix coordinate real general\n3" + padding + " 3 3" + padding +
                "\n1 2 1.5\n2 1 2\n2 3 -0.1\n");
  EXPECT_EQ(write_dense("a.mtx"),
            "%%MatrixMarket matrix array real general\n3 3\n0\n2\n0\n1.5\n0\n0\n0\n-0.1\n0\n");
}

TEST_F(Writer, WritesNpzForScipy) {
  const std::string dense = write_dense("a.npz");
  EXPECT_EQ(write_sparse("b.npz"), dense);  // the same bytes at any time, from any kind of block
  EXPECT_EQ(read_all(folder_.path("a.npz")), kRows);
  EXPECT_NE(dense.find(npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 3, 3}))), std::string::npos);
  EXPECT_NE(dense.find(npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2}))), std::string::npos);
  EXPECT_NE(dense.find(npy("|S3", "()", "csr")), std::string::npos);
  EXPECT_NE(dense.find(npy("<i8", "(2,)", raw<std::int64_t>({3, 3}))), std::string::npos);
  EXPECT_NE(dense.find(npy("<f8", "(3,)", raw<double>({1.5, 2, -0.1}))), std::string::npos);
}

TEST_F(Writer, TakesBlocksOfAnyKind) {
  const Matrix<float> single = kRows.cast<float>();
  for (const char* name : {"a.npy", "a.csv", "a.npz", "a.mtx"}) {
    for (const bool sparse_first : {false, true}) {
      const auto writer = RowWriter::create(folder_.path(name), 3);
      const SparseMatrix<double> sparse = sparse_rows();
      if (sparse_first) writer->write(sparse.view());
      writer->write(view(kRows));
      writer->write(view(single));
      if (!sparse_first) writer->write(sparse.view());
      writer->finish();
      Matrix<float> expected(3, 9);
      expected << single, single, single;
      EXPECT_EQ(read_all<float>(folder_.path(name)), expected) << name << sparse_first;
    }
  }
}

TEST_F(Writer, WritesEveryOtherColumnOfAView) {
  const ConstMatrixView<double> view(kRows.data(), 3, 2, Eigen::OuterStride<>(6));
  const auto writer = RowWriter::create(folder_.path("a.csv"), 3);
  writer->write(view);
  writer->finish();
  EXPECT_EQ(bytes_of(folder_.path("a.csv")), "0,1.5,0\n0,0,0\n");
}

TEST_F(Writer, RefusesOtherWidthsAndNames) {
  const auto writer = RowWriter::create(folder_.path("a.csv"), 4);
  EXPECT_EQ(error_of<ShapeMismatch>([&] { writer->write(view(kRows)); }),
            "expected rows of 4 numbers, found 3");
  EXPECT_EQ(error_of<InvalidOptions>([] { RowWriter::create("a.xyz", 4); }),
            "a.xyz: expected a name that ends in .npy, .csv, .tsv, .npz or .mtx");
}

TEST_F(Writer, TakesNamesInCapitals) {
  EXPECT_NE(RowWriter::create(folder_.path("A.NPY"), 4), nullptr);
}

TEST_F(Writer, LeavesNothingWithoutFinish) {
  for (const char* name : {"a.npy", "a.csv", "a.npz", "a.mtx"}) {
    folder_.write(name, "old");
    const std::size_t before = folder_.files();
    {
      const auto writer = RowWriter::create(folder_.path(name), 3);
      writer->write(view(kRows));
    }
    EXPECT_EQ(folder_.files(), before);
    EXPECT_EQ(bytes_of(folder_.path(name)), "old");
  }
}

}  // namespace
}  // namespace nodl::io::test
