#include <gtest/gtest.h>

#include "io/files.h"

namespace nodl::io::test {
namespace {

const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";

class MtxReader : public testing::Test {
 protected:
  std::string mtx(const std::string& text) { return folder_.write("x.mtx", text); }
  TemporaryFolder folder_;
};

const Matrix<double> kRows = rows({{0, 1.5, 0}, {2, 0, 3}});
const Matrix<double> kColumns = rows({{0, 2}, {1.5, 0}, {0, 3}});

TEST_F(MtxReader, ReadsCoordinatesInAnyOrder) {
  for (const char* entries : {"1 2 1.5\n2 1 2\n2 3 3\n",     // by rows
                              "2 1 2\n1 2 1.5\n2 3 3\n",     // by columns
                              "2 3 3\n1 2 1.5\n2 1 2\n"}) {  // neither
    const std::string path = mtx(kCoordinate + "% comment\n\n2 3 3\n" + entries);
    EXPECT_EQ(read_all(path), kRows);
    EXPECT_EQ(read_all(path, {.transpose = true}), kColumns);
    const auto reader = open_samples(path);
    EXPECT_TRUE(reader->is_sparse());
    EXPECT_EQ(reader->samples(), 2);
    EXPECT_EQ(reader->dimension(), 3);
  }
}

TEST_F(MtxReader, StreamsLargeFilesThatAreSorted) {
  const std::string text = kCoordinate + "4 3 5\n1 2 1\n1 1 2\n3 3 3\n3 3 4\n4 1 5\n";
  const Matrix<double> expected = rows({{2, 1, 0}, {0, 0, 0}, {0, 0, 7}, {5, 0, 0}});
  for (const std::size_t memory : {0, 10'000}) {  // streamed, sorted in memory
    const ReadOptions all{.sort_memory = memory};
    EXPECT_EQ(read_all(mtx(text), all, 3), expected);
    const ReadOptions columns{.transpose = true, .sort_memory = memory};
    EXPECT_EQ(read_all(mtx(text), columns, 2), expected.transpose());
    const ReadOptions last_two{.rows = {.start = -2}, .sort_memory = memory};
    EXPECT_EQ(read_all(mtx(text), last_two, 3), expected.rightCols(2));
  }
}

TEST_F(MtxReader, AddsDuplicatesAndDropsZeros) {
  const std::string path =
      mtx(kCoordinate + "1 4 6\n1 3 1\n1 1 0\n1 3 2\n1 2 5\n1 2 -5\n1 4 -0.0\n");
  SampleBuffer<double> buffer;
  const auto reader = open_samples(path);
  reader->read(5, buffer);
  EXPECT_EQ(buffer.sparse.indices, (std::vector<RowIndex>{2}));
  EXPECT_EQ(buffer.sparse.values, (std::vector<double>{3}));
  EXPECT_EQ(complaint(mtx(kCoordinate + "1 2 2\n1 2 1e308\n1 2 1e308\n")),
            "row 1, column 2: expected a finite number, found inf");
}

TEST_F(MtxReader, ReadsIntegersAndPatterns) {
  EXPECT_EQ(read_all(mtx("%%MatrixMarket MATRIX Coordinate Integer General\n1 2 1\n1 2 -7\n")),
            rows({{0, -7}}));
  EXPECT_EQ(read_all(mtx("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n")),
            rows({{0, 1}}));
}

TEST_F(MtxReader, MirrorsSymmetricMatrices) {
  EXPECT_EQ(read_all(mtx("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 5\n")),
            rows({{4, 5}, {5, 0}}));
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n";
  EXPECT_EQ(read_all(mtx(skew + "2 1 5\n")), rows({{0, -5}, {5, 0}}));
  EXPECT_EQ(read_all(mtx(skew + "2 1 5\n"), {.transpose = true}), rows({{0, 5}, {-5, 0}}));
  EXPECT_EQ(complaint(mtx(skew + "1 1 5\n")),
            "line 3: expected no entry on the diagonal of a skew-symmetric matrix");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 4\n")),
            "line 2: expected as many rows as columns in a symmetric matrix");
}

TEST_F(MtxReader, ReadsArrays) {
  const std::string path =
      mtx("%%MatrixMarket matrix array real general\n2 3\n0\n2\n1.5\n0\n0\n3\n");
  EXPECT_EQ(read_all(path), kRows);
  EXPECT_EQ(read_all(path, {.transpose = true}, 2), kColumns);
  EXPECT_EQ(read_all(path, {.transpose = true, .rows = {.start = 1}}), kColumns.rightCols(2));
  EXPECT_FALSE(open_samples(path)->is_sparse());
  EXPECT_EQ(read_all(mtx("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")),
            rows({{1, 2}, {2, 3}}));
  EXPECT_EQ(read_all(mtx("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n")),
            rows({{0, -2}, {2, 0}}));
}

TEST_F(MtxReader, ReadsGzip) {
  const std::string text = kCoordinate + "2 3 3\n2 1 2\n1 2 1.5\n2 3 3\n";
  EXPECT_EQ(read_all(folder_.write("x.mtx.gz", gzip(text))), kRows);
  EXPECT_EQ(complaint(folder_.write("x.mtx.gz", gzip(text).substr(0, 40))),
            "the gzip data is truncated");
}

TEST_F(MtxReader, NamesTheLineOfWhatIsWrong) {
  const std::string sizes = kCoordinate + "2 3 2\n";
  EXPECT_EQ(complaint(mtx("")), "is empty");
  EXPECT_EQ(complaint(mtx("1 2 3\n")),
            "line 1: expected a MatrixMarket header (%%MatrixMarket matrix ...)");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix coordinate complex general\n1 1 0\n")),
            "line 1: expected real, integer or (coordinate) pattern, found 'complex'");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix array pattern general\n1 1\n1\n")),
            "line 1: expected real, integer or (coordinate) pattern, found 'pattern'");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n")),
            "line 1: expected general, symmetric or skew-symmetric, found 'hermitian'");
  EXPECT_EQ(complaint(mtx(kCoordinate)), "line 1: is truncated: expected the line of sizes");
  EXPECT_EQ(complaint(mtx(kCoordinate + "2 x 2\n")), "line 2: expected a size, found 'x'");
  EXPECT_EQ(complaint(mtx(kCoordinate + "0 3 0\n")), "has no rows");
  EXPECT_EQ(complaint(mtx(kCoordinate + "3 0 0\n")), "has no columns");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n")), "line 3: is truncated: expected 2 entries, found 1");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 2 1\n1 3 1\n")),
            "line 5: expected 2 entries, found more");
  EXPECT_EQ(complaint(mtx(sizes + "3 1 1\n1 2 1\n")),
            "line 3: expected a row from 1 to 2, found '3'");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 0 1\n")),
            "line 4: expected a column from 1 to 3, found '0'");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 2 z\n")),
            "line 4: row 1, column 2: expected a finite number, found 'z'");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 2 nan\n")),
            "line 4: row 1, column 2: expected a finite number, found nan");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 2\n")),
            "line 4: row 1, column 2: expected a finite number, found nothing");
  EXPECT_EQ(complaint(mtx(sizes + "1 1 1\n1 2 3 4\n")),
            "line 4: expected nothing more on the line, found '4'");
  EXPECT_EQ(complaint<float>(mtx(sizes + "1 1 1\n1 2 1e39\n")),
            "row 1, column 2: expected a number that fits into float32, found 1e+39");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n")),
            "line 5: is truncated: expected 4 numbers, found 3");
}

TEST_F(MtxReader, DoesNotBelieveSizes) {
  EXPECT_EQ(complaint(mtx(kCoordinate + "9 9 9000000000000000000\n1 1 1\n")),
            "line 2: is truncated: expected 9000000000000000000 entries, more than a file of this "
            "size can hold");
  EXPECT_EQ(complaint(mtx("%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n")),
            "line 2: the matrix is too large");
  EXPECT_EQ(complaint(mtx(kCoordinate + "1 2147483648 1\n1 1 1\n")),
            "expected samples of at most 2147483647 numbers, found 2147483648");
  // Many empty samples cost nothing.
  const std::string path = mtx(kCoordinate + "9000000000000000000 2 1\n9000000000000000000 1 5\n");
  EXPECT_EQ(read_all(path, {.rows = {.start = -2}}), rows({{0, 0}, {5, 0}}));
}

}  // namespace
}  // namespace nodl::io::test
