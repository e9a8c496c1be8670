#include <gtest/gtest.h>

#include "io/files.h"

namespace nodl::io::test {
namespace {

class CsvReader : public testing::Test {
 protected:
  std::string csv(const std::string& text) { return folder_.write("x.csv", text); }
  std::string tsv(const std::string& text) { return folder_.write("x.tsv", text); }
  TemporaryFolder folder_;
};

const Matrix<double> kRows = rows({{1, -2.5, 3}, {4, 5e-3, 6}});

TEST_F(CsvReader, ReadsNumbers) {
  EXPECT_EQ(read_all(csv("1,-2.5,3\n4,5e-3,6\n")), kRows);
  EXPECT_EQ(read_all(csv("1,-2.5,3\r\n4,5e-3,6\r\n")), kRows);
  EXPECT_EQ(read_all(csv("1,-2.5,3\n4,5e-3,6")), kRows);
  EXPECT_EQ(read_all(csv(" 1 ,\t-2.5 ,3  \n4,+5e-3, 6\n")), kRows);
  EXPECT_EQ(read_all(csv("\"1\",\"-2.5\",3\n4, \" 5e-3\" ,\"6\"\n")), kRows);
  EXPECT_EQ(read_all(csv("1,-2.5,3\n4,5e-3,6\n\n  \n\r\n")), kRows);
  EXPECT_EQ(read_all(csv("\xEF\xBB\xBF"
                         "1,-2.5,3\n4,5e-3,6\n")),
            kRows);
  EXPECT_EQ(read_all(tsv("1\t-2.5\t3\n4\t 5e-3\t6\n")), kRows);
  EXPECT_EQ(read_all<float>(csv("0.1\n")), rows({{0.1}}).cast<float>());
  EXPECT_EQ(read_all(csv("7\n8\n")), rows({{7}, {8}}));
  EXPECT_EQ(open_samples(csv("7\n8\n"))->samples(), std::nullopt);
}

TEST_F(CsvReader, SkipsAHeader) {
  EXPECT_EQ(read_all(csv("a,b,c\n1,-2.5,3\n4,5e-3,6\n")), kRows);
  EXPECT_EQ(read_all(csv("\"a, x\",\"b\"\"q\"\"\",c\n1,-2.5,3\n4,5e-3,6\n")), kRows);
  EXPECT_EQ(read_all(csv("a,b,c\n\n1,-2.5,3\n4,5e-3,6\n")), kRows);
  EXPECT_EQ(complaint(csv("a,b\n1,2,3\n")), "row 2, column 3: expected 2 columns, found 3 columns");
}

TEST_F(CsvReader, TakesTheWidthFromTheFirstRowUnlessTold) {
  const std::string torn = csv("8,9\n1,-2.5,3\n4,5e-3,6\n");
  EXPECT_EQ(complaint(torn), "row 2, column 3: expected 2 columns, found 3 columns");
  ReadOptions told;
  told.columns = 3;
  told.bad_rows = std::make_shared<BadRows>();
  EXPECT_EQ(read_all(torn, told), kRows);
  EXPECT_EQ(told.bad_rows->count(BadRowReason::WrongWidth), 1);
}

TEST_F(CsvReader, ReadsQuotedFieldsThatSpanLines) {
  EXPECT_EQ(read_all(csv("\"a\n\n,x\",\"b\r\nc\",d\r\n1,-2.5,3\r\n4,5e-3,\"6\"\r\n")), kRows);
  EXPECT_EQ(read_all(csv("\xEF\xBB\xBF\"a\nb\",c,d\n1,-2.5,3\n4,5e-3,6\n")), kRows);
  EXPECT_EQ(complaint(csv("\"a\nb\",c\n1,2\n3,x\n")),
            "row 4, column 2: expected a number, found 'x'");
  EXPECT_EQ(complaint(csv("1,2\n3,4\"\n5,6\n")), "row 2, column 2: expected a number, found '4\"'");
}

// Else one stray quote would hold up a live stream for as long as a megabyte takes to come.
TEST_F(CsvReader, AQuoteThatIsNotClosedSoonSpoilsItsOwnLineOnly) {
  std::string text = "1,2\n3,\"4\n";
  for (int line = 0; line < 70; ++line) text += "5,6\n";
  const std::string path = csv(text + "7,\"8\"\n");
  EXPECT_EQ(complaint(path), "row 2, column 2: expected a number, found quotes that do not match");
  ReadOptions skipping;
  skipping.bad_rows = std::make_shared<BadRows>();
  EXPECT_EQ(read_all(path, skipping).cols(), 1 + 70 + 1);
}

TEST_F(CsvReader, TakesMissingNumbersForZeroWhereTold) {
  const std::string path = csv("NA,\n1,2\nNaN,null\n?,\" \"\nn/a,3\n");
  EXPECT_EQ(read_all(path, {.missing = Missing::Zero}),
            rows({{0, 0}, {1, 2}, {0, 0}, {0, 0}, {0, 3}}));
  EXPECT_EQ(complaint(path), "row 1, column 1: expected a number, found 'NA'");
  EXPECT_EQ(complaint(csv("1,2\nx,1\n"), {.missing = Missing::Zero}),
            "row 2, column 1: expected a number, found 'x'");
  EXPECT_EQ(complaint(csv("1,2\ninf,1\n"), {.missing = Missing::Zero}),
            "row 2, column 1: expected a finite number, found inf");
}

TEST_F(CsvReader, ReadsTheRowsAskedFor) {
  const std::string path = csv("head\n0\n1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(read_all(path, {.rows = {.start = 1, .stop = 6, .step = 2}}, 2), rows({{1}, {3}, {5}}));
  EXPECT_EQ(read_all(path, {.rows = {.start = 9}}).cols(), 0);
  EXPECT_EQ(
      error_of<InvalidOptions>([&] { open_samples(path, {.rows = {.start = -2}}); }),
      path + ": a negative row counts from the end, which this format does not tell beforehand");
}

TEST_F(CsvReader, Transposes) {
  const std::string path = csv("a,b,c\n1,2,3\n4,5,6\n");
  EXPECT_EQ(read_all(path, {.transpose = true}), rows({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(read_all(path, {.transpose = true, .rows = {.start = -1}}), rows({{3, 6}}));
  EXPECT_EQ(open_samples(path, {.transpose = true})->samples(), 3);
  EXPECT_EQ(complaint<float>(csv("a,b\n1,2\n4,1e39\n"), {.transpose = true}),
            "row 3, column 2: expected a number that fits into float32, found 1e+39");
}

TEST_F(CsvReader, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(complaint(csv("1,2\n3,x\n")), "row 2, column 2: expected a number, found 'x'");
  EXPECT_EQ(complaint(csv("h,i\n1,2\n3,4z\n")), "row 3, column 2: expected a number, found '4z'");
  EXPECT_EQ(complaint(csv("1,x\n3,4\n")), "row 1, column 2: expected a number, found 'x'");
  EXPECT_EQ(complaint(csv("1,2\n,4\n")),
            "row 2, column 1: expected a number, found an empty field");
  EXPECT_EQ(complaint(csv("1,2\n3,\n")),
            "row 2, column 2: expected a number, found an empty field");
  EXPECT_EQ(complaint(csv("1,2\n3\n")), "row 2, column 2: expected 2 columns, found 1 column");
  EXPECT_EQ(complaint(csv("1,2\n3,4,5,6\n")),
            "row 2, column 3: expected 2 columns, found 4 columns");
  EXPECT_EQ(complaint(csv("1,2\n\n3,4\n")), "row 2: expected 2 columns, found an empty line");
  EXPECT_EQ(complaint(csv("1,2\nnan,4\n")), "row 2, column 1: expected a finite number, found nan");
  EXPECT_EQ(complaint(csv("nan,nan\n1,2\n")),
            "row 1, column 1: expected a finite number, found nan");
  EXPECT_EQ(complaint(csv("1,2\n3,-inf\n")),
            "row 2, column 2: expected a finite number, found -inf");
  EXPECT_EQ(complaint(csv("1,2\n3,1e999\n")),
            "row 2, column 2: expected a finite number, found inf");
  EXPECT_EQ(complaint<float>(csv("1,2\n3,1e39\n")),
            "row 2, column 2: expected a number that fits into float32, found 1e+39");
  EXPECT_EQ(complaint(csv("1,2\n3,\"4\n")),
            "row 2, column 2: expected a number, found quotes that do not match");
  EXPECT_EQ(complaint(csv("1,2\n3,\"4\"5\n")),
            "row 2, column 2: expected a number, found quotes that do not match");
  EXPECT_EQ(complaint(csv("1,2\n3,a\x01"
                          "b\n")),
            "row 2, column 2: expected a number, found 'a?b'");
  // Other separators: one field that is no number, taken for a header, and the next line is
  // refused.
  EXPECT_EQ(complaint(csv("1;2\n3;4\n")), "row 2, column 1: expected a number, found '3;4'");
}

TEST_F(CsvReader, RefusesFilesWithoutRows) {
  EXPECT_EQ(complaint(csv("")), "has no rows");
  EXPECT_EQ(complaint(csv("\n\n")), "has no rows");
  EXPECT_EQ(complaint(csv("a,b\n")), "has a header and no rows");
}

TEST_F(CsvReader, TakesVerySmallNumbersAsTheyAre) {
  EXPECT_EQ(read_all(csv("1e-400,5e-324,1\n")), rows({{0, 5e-324, 1}}));
}

TEST_F(CsvReader, ReadsLinesLongerThanItsBuffer) {
  std::string text;
  const Index columns = 100'000;
  for (int line = 0; line < 3; ++line) {
    for (Index i = 0; i < columns; ++i)
      text += std::to_string(i + line) + (i + 1 < columns ? "," : "\n");
  }
  const Matrix<double> read = read_all(csv(text), {}, 2);
  ASSERT_EQ(read.rows(), columns);
  ASSERT_EQ(read.cols(), 3);
  EXPECT_EQ(read(columns - 1, 2), static_cast<double>(columns + 1));
}

TEST_F(CsvReader, ReadsGzip) {
  const std::string text = "1,-2.5,3\n4,5e-3,6\n";
  const std::string packed = gzip(text);
  EXPECT_EQ(read_all(folder_.write("x.csv.gz", packed)), kRows);
  EXPECT_EQ(read_all(folder_.write("x.csv.gz", gzip("1,-2.5,3\n4,5e") + gzip("-3,6\n"))), kRows);
  EXPECT_EQ(read_all(folder_.write("x.csv.gz", packed + std::string(512, '\0'))), kRows);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_EQ(complaint(folder_.write("x.csv.gz", packed.substr(0, size))),
              "the gzip data is truncated");
  }
  EXPECT_EQ(complaint(folder_.write("x.csv.gz", packed + "more")),
            "has other bytes after its gzip data");
  EXPECT_EQ(complaint(folder_.write("x.csv.gz", text)),
            "is not valid gzip data: incorrect header check");
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_EQ(complaint(folder_.write("x.csv.gz", damaged)),
            "is not valid gzip data: incorrect data check");
}

}  // namespace
}  // namespace nodl::io::test
