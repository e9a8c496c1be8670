#include "nodl/io/bad_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "io/files.h"
#include "nodl/io/sample_stream.h"

namespace nodl::io::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class BadRowsTest : public testing::Test {
 protected:
  /// Rows 1 and 4 of what is read are {1, 2} and {7, 8}; those between are bad.
  void expect_two_good(const std::string& path, ReadOptions options = {}) {
    for (const Index count : {1, 2, 5}) {
      options.bad_rows = std::make_shared<BadRows>();
      EXPECT_EQ(read_all(path, options, count), rows({{1, 2}, {7, 8}})) << path;
      EXPECT_EQ(options.bad_rows->total(), 2) << path;
    }
    options.bad_rows = std::make_shared<BadRows>();
    const auto reader = open_samples(path, options);
    EXPECT_EQ(reader->samples(), std::nullopt);
    EXPECT_EQ(reader->skip(1), 1);
    EXPECT_EQ(read_all(*reader), rows({{7, 8}})) << path;
    EXPECT_EQ(options.bad_rows->total(), 2) << path;
    EXPECT_EQ(open_samples(path, options)->skip(5), 2) << path;
    EXPECT_EQ(options.bad_rows->total(), 2) << "a row counts once";
    options.bad_rows = nullptr;
    EXPECT_NE(complaint(path, options), "no error") << path;
  }

  TemporaryFolder folder_;
};

TEST_F(BadRowsTest, ArePassedOverInEveryFormat) {
  const std::vector<double> numbers = {1, 2, kNaN, 4, 5, -HUGE_VAL, 7, 8};
  const std::vector<double> by_columns = {1, kNaN, 5, 7, 2, 4, -HUGE_VAL, 8};
  expect_two_good(folder_.write("a.npy", npy("<f8", "(4, 2)", raw(numbers))));
  expect_two_good(folder_.write("f.npy", npy("<f8", "(4, 2)", raw(by_columns), true)));
  expect_two_good(folder_.write("t.npy", npy("<f8", "(2, 4)", raw(by_columns))),
                  {.transpose = true});
  expect_two_good(folder_.write("a.raw", raw(numbers)), {.columns = 2, .dtype = "f8"});
  expect_two_good(folder_.write("a.csv", "x,y\n1,2\n3,four\n5,6,7\n7,8\n"));
  expect_two_good(folder_.write("a.csv", "1,2\n3,\"4\n\n7,8\n"));
  expect_two_good(folder_.write("a.tsv", "1\t2\nnan\t4\n5\t\n7\t8\n"));
  expect_two_good(folder_.write("t.csv", "1,nan,5,7\n2,4,inf,8\n"), {.transpose = true});
  expect_two_good(folder_.write("a.svm", "1 1:1 2:2\n0 1:3 3:1\n2 2:x\n3 1:7 2:8\n"),
                  {.columns = 2});
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
  const std::string entries = "1 1 1\n1 2 2\n2 2 nan\n3 1 -inf\n4 1 7\n4 2 8\n";
  expect_two_good(folder_.write("a.mtx", coordinate + "4 2 6\n" + entries));
  expect_two_good(folder_.write("a.mtx", coordinate + "4 2 6\n" + entries), {.sort_memory = 0});
  expect_two_good(
      folder_.write("b.mtx",
                    "%%MatrixMarket matrix array real general\n4 2\n1\nnan\n5\n7\n2\n4\n"
                    "inf\n8\n"));
  expect_two_good(
      folder_.write("c.mtx",
                    "%%MatrixMarket matrix array real general\n2 4\n1\n2\nnan\n4\n5\ninf"
                    "\n7\n8\n"),
      {.transpose = true});
  const auto member = [](const char* name, const std::string& type, const auto& values) {
    return ZipMember{
        name, npy(type, "(" + std::to_string(values.size()) + ",)", raw(values)), true};
  };
  const std::vector<ZipMember> csr = {
      {"format.npy", npy("|S3", "()", "csr")},
      member("shape.npy", "<i8", std::vector<std::int64_t>{4, 2}),
      member("indptr.npy", "<i4", std::vector<std::int32_t>{0, 2, 3, 4, 6}),
      member("indices.npy", "<i4", std::vector<std::int32_t>{0, 1, 0, 2, 0, 1}),
      member("data.npy", "<f8", std::vector<double>{1, 2, kNaN, 4, 7, 8})};
  expect_two_good(folder_.write("a.npz", zip(csr)));
}

TEST_F(BadRowsTest, TooLargeNumbersArePassedOverInEveryFormat) {
  const std::vector<double> numbers = {1, 2, 3, 1e3, -1e300, 6, 7, 8};
  const std::vector<double> by_columns = {1, 3, -1e300, 7, 2, 1e3, 6, 8};
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n4 2 8\n";
  const std::string entries = "1 1 1\n1 2 2\n2 1 3\n2 2 1e3\n3 1 -1e300\n3 2 6\n4 1 7\n4 2 8\n";
  const auto expect = [this](const std::string& path, ReadOptions options = {}) {
    options.largest = 100;
    expect_two_good(path, options);
    options.bad_rows = std::make_shared<BadRows>();
    read_all(path, options);
    EXPECT_EQ(options.bad_rows->count(BadRowReason::TooLarge), 2) << path;
  };
  expect(folder_.write("a.npy", npy("<f8", "(4, 2)", raw(numbers))));
  expect(folder_.write("f.npy", npy("<f8", "(4, 2)", raw(by_columns), true)));
  expect(folder_.write("a.raw", raw(numbers)), {.columns = 2, .dtype = "f8"});
  expect(folder_.write("a.csv", "1,2\n3,1000\n-1e300,6\n7,8\n"));
  expect(folder_.write("t.csv", "1,3,-1e300,7\n2,1000,6,8\n"), {.transpose = true});
  expect(folder_.write("a.svm", "1 1:1 2:2\n0 1:3 2:1000\n2 1:-1e300 2:6\n3 1:7 2:8\n"));
  expect(folder_.write("a.mtx", coordinate + entries));
  expect(folder_.write("a.mtx", coordinate + entries), {.sort_memory = 0});
  expect(folder_.write("sum.mtx",
                       "%%MatrixMarket matrix coordinate real general\n4 2 8\n1 1 1\n1 2 2\n"
                       "2 1 60\n2 1 60\n3 1 1e3\n4 1 7\n4 2 4\n4 2 4\n"));
  const std::string path =
      folder_.write("b.npy", npy("<f8", "(2, 2)", raw<double>({1, 2, 3, -1e3})));
  EXPECT_EQ(complaint(path, {.largest = 100}),
            "row 2, column 2: expected a number of at most 100 in size, found -1000");
}

TEST_F(BadRowsTest, UnreadableEntriesOfMtxSpoilTheirRowOnly) {
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n4 2 8\n";
  const std::string entries = "1 1 1\n1 2 2\n2 1 3\n2 2 four\n3 1 \n3 2 6\n4 1 7\n4 2 8\n";
  const std::string array = "%%MatrixMarket matrix array real general\n4 2\n";
  const std::string columns = "%%MatrixMarket matrix array real general\n2 4\n";
  const auto expect = [this](const std::string& path, ReadOptions options = {}) {
    expect_two_good(path, options);
    options.bad_rows = std::make_shared<BadRows>();
    read_all(path, options);
    EXPECT_EQ(options.bad_rows->count(BadRowReason::NotANumber), 2) << path;
  };
  expect(folder_.write("a.mtx", coordinate + entries));
  expect(folder_.write("a.mtx", coordinate + entries), {.sort_memory = 0});
  expect(folder_.write("b.mtx", array + "1\n3\nfive\n7\n2\nfour\n6\n8\n"));
  expect(folder_.write("c.mtx", columns + "1\n2\n3\nfour\nfive\n6\n7\n8\n"), {.transpose = true});
  expect(folder_.write("t.csv", "1,3,five,7\n2,four,6,8\n"), {.transpose = true});
  ReadOptions skew{.bad_rows = std::make_shared<BadRows>()};
  read_all(folder_.write("s.mtx",
                         "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n"
                         "2 1 oops\n3 2 5\n"),
           skew);
  EXPECT_EQ(skew.bad_rows->count(BadRowReason::NotANumber), 2) << "a number and its mirror image";
  const std::string bad_index = coordinate.substr(0, coordinate.size() - 6) + "4 2 1\nx 1 1\n";
  EXPECT_NE(complaint(folder_.write("i.mtx", bad_index), {.bad_rows = std::make_shared<BadRows>()}),
            "no error")
      << "nobody knows whose it is";
}

TEST_F(BadRowsTest, BeyondFloat32AreBadAlsoWhereTheyAreSkipped) {
  const std::string path = folder_.write("a.csv", "1\n1e300\n3\n");
  ReadOptions options{.bad_rows = std::make_shared<BadRows>(), .float32 = true};
  EXPECT_EQ(read_all<float>(path, options), rows({{1}, {3}}).cast<float>());
  EXPECT_EQ(open_samples(path, options)->skip(9), 2);
  EXPECT_EQ(options.bad_rows->total(), 1);
  EXPECT_EQ(options.bad_rows->count(BadRowReason::TooLarge), 1);
}

TEST_F(BadRowsTest, AreCountedByReasonAndWrittenAsJson) {
  const std::string path =
      folder_.write("a.csv", "1,2\n3,x\xff\n5\n,6\nnan,7\n\n8,9\n10,\"11\n12,13\n");
  const std::string file = folder_.write("q.jsonl", "from an earlier run\n");
  ReadOptions options{.bad_rows = std::make_shared<BadRows>(file)};
  EXPECT_EQ(bytes_of(file), "from an earlier run\n") << "nothing was read yet";
  const auto reader = open_samples(path, options);
  EXPECT_EQ(bytes_of(file), "from an earlier run\n");
  EXPECT_EQ(read_all(*reader), rows({{1, 2}, {8, 9}, {12, 13}}));
  const BadRows& bad = *options.bad_rows;
  EXPECT_EQ(bad.total(), 6);
  EXPECT_EQ(bad.count(BadRowReason::NotANumber), 2);
  EXPECT_EQ(bad.count(BadRowReason::WrongWidth), 2);
  EXPECT_EQ(bad.count(BadRowReason::Missing), 1);
  EXPECT_EQ(bad.count(BadRowReason::NotFinite), 1);

  std::ifstream lines(file);
  std::vector<nlohmann::json> written;
  for (std::string line; std::getline(lines, line);) written.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(written.size(), 6u);
  EXPECT_EQ(written[1],
            (nlohmann::json{{"input", path},
                            {"row", 3},
                            {"column", 2},
                            {"reason", "wrong_width"},
                            {"message", "row 3, column 2: expected 2 columns, found 1 column"},
                            {"text", "5"}}));
  EXPECT_EQ(written[0]["text"], "3,x\xef\xbf\xbd") << "what is no UTF-8 is replaced";
  EXPECT_EQ(written[2]["reason"], "missing");
  EXPECT_EQ(written[4]["row"], 6) << "the empty line";
  EXPECT_EQ(written[5]["reason"], "not_a_number");
}

TEST_F(BadRowsTest, CountOnceWhateverTheNumberOfPasses) {
  const std::string a = folder_.write("a.csv", "1\nx\n2\n");
  const std::string b = folder_.write("b.csv", "y\n");
  folder_.write("b.csv", "3\ny\n");
  ReadOptions options{.bad_rows = std::make_shared<BadRows>()};
  SampleStream<double> stream({a, b}, options, {.batch_size = 2, .passes = 2});
  std::vector<double> seen;
  while (stream.next()) {
    const auto matrix = stream.batch().matrix();
    seen.insert(seen.end(), matrix.data(), matrix.data() + matrix.size());
  }
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(options.bad_rows->total(), 2);
}

TEST_F(BadRowsTest, RowsOfTheRangeAreThoseOfTheFile) {
  const std::string path = folder_.write("a.csv", "0\n1\nx\n3\n4\n");
  const ReadOptions options{.rows = {.start = 1, .stop = 4},
                            .bad_rows = std::make_shared<BadRows>()};
  EXPECT_EQ(read_all(path, options), rows({{1}, {3}}));
}

TEST_F(BadRowsTest, BrokenStructureStillStops) {
  const ReadOptions options{.bad_rows = std::make_shared<BadRows>()};
  EXPECT_NE(complaint(folder_.write("a.npy", npy("<f8", "(9, 9)", "x")), options), "no error");
  EXPECT_NE(complaint(folder_.write("a.csv.gz", gzip("1\n2\n").substr(0, 15)), options),
            "no error");
  EXPECT_NE(complaint(folder_.write(
                          "a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\nx 1 1\n"),
                      options),
            "no error");
  EXPECT_NE(complaint(folder_.write("t.csv", "1,2\n3\n"),
                      {.transpose = true, .bad_rows = std::make_shared<BadRows>()}),
            "no error");
}

}  // namespace
}  // namespace nodl::io::test
