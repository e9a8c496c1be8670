// svmlight, raw numbers, zstd, and what the formats have in common: skip().
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

std::string zstd(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

class Svmlight : public testing::Test {
 protected:
  std::string svm(const std::string& text) { return folder_.write("x.svm", text); }
  TemporaryFolder folder_;
};

TEST_F(Svmlight, ReadsSamples) {
  const std::string text = "# head\n+1 1:0.5 3:-2 # one\n\n-1,2 qid:7 2:1e3\n3\n2:4 1:1 2:1\n";
  const Matrix<double> expected = rows({{0.5, 0, -2}, {0, 1000, 0}, {0, 0, 0}, {1, 5, 0}});
  EXPECT_EQ(read_all(svm(text)), expected);
  EXPECT_EQ(read_all(svm(text), {.rows = {.start = -1}}), expected.rightCols(1));
  EXPECT_EQ(open_samples(svm(text))->samples(), 4);
  EXPECT_TRUE(open_samples(svm(text))->is_sparse());
  EXPECT_EQ(read_all(svm("1 2:1\n"), {.columns = 4}), rows({{0, 1, 0, 0}}));
  EXPECT_EQ(read_all(folder_.write("x.libsvm.gz", gzip("1 2:1\n"))), rows({{0, 1}}));
}

TEST_F(Svmlight, NamesTheRowOfWhatIsWrong) {
  EXPECT_EQ(complaint(svm("1 1:1\n0 0:5 2:1\n")),
            "row 2: expected an index from 1 to 1, found '0:5'; indices begin at 1 (scikit-learn: "
            "zero_based=False)");
  EXPECT_EQ(complaint(svm("1 1:1\n0 -1:5\n")),
            "row 2: expected an index from 1 to 1, found '-1:5'");
  EXPECT_EQ(complaint(svm("1 1:2 2:x\n")), "row 1: expected INDEX:VALUE, found '2:x'");
  EXPECT_EQ(complaint(svm("1 1:1\n0 4:5\n"), {.columns = 3}),
            "row 2: expected an index from 1 to 3, found '4:5'");
  EXPECT_EQ(complaint(svm("1 1:1\n0 2=5\n")), "row 2: expected INDEX:VALUE, found '2=5'");
  EXPECT_EQ(complaint(svm("1 1:1\n0 1:\n")), "row 2: expected INDEX:VALUE, found '1:'");
  EXPECT_EQ(complaint(svm("1 1:1\nx 1:2\n")), "row 2: expected a label, found 'x'");
  EXPECT_EQ(complaint(svm("1 1:inf\n1 1:1\n")),
            "row 1, column 1: expected a finite number, found inf");
  EXPECT_EQ(complaint(svm("")), "has no rows");
  EXPECT_EQ(complaint(svm("1\n2 1:x\n")), "row 2: expected INDEX:VALUE, found '1:x'");
  EXPECT_EQ(complaint(svm("1 0:5\n")),
            "row 1: expected an index from 1 to 2147483647, found '0:5'; indices begin at 1 "
            "(scikit-learn: zero_based=False)");
  EXPECT_EQ(complaint(svm("1\n2\n")), "has no INDEX:VALUE at all; --columns gives the width");
  EXPECT_EQ(error_of<InvalidOptions>([&] { read_all(svm("1 1:1\n"), {.transpose = true}); }),
            "svmlight rows are samples; --transpose has no sense");
}

TEST_F(Svmlight, SaysThatAFileIsNotThereBeforeItWantsColumns) {
  const std::string said = "cannot be opened: No such file or directory";
  for (const char* name : {"none.svm", "none.svm.gz", "none.svm.zst", "none/x.svm"}) {
    for (const Index columns : {0, 3}) {
      EXPECT_EQ(complaint(folder_.path(name), {.columns = columns}), said) << name;
    }
  }
  EXPECT_EQ(complaint(folder_.path("none.svm"), {.follow = true}), said);
  std::filesystem::create_symlink(folder_.path("none.svm"), folder_.path("link.svm"));
  EXPECT_EQ(complaint(folder_.path("link.svm")), said);
}

TEST_F(Svmlight, APipeNeedsColumnsAndIsNotOpenedToSayIt) {
  const std::string path = folder_.path("pipe.svm");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);  // nobody writes: opening it would wait for ever
  EXPECT_EQ(error_of<InvalidOptions>([&] { open_samples(path); }),
            path + ": svmlight input that cannot be read twice needs --columns");
}

TEST(Raw, ReadsNumbersOfAnyType) {
  const TemporaryFolder folder;
  const Matrix<double> expected = rows({{1, 2, 3}, {4, 5, 6}});
  const std::string doubles = folder.write("x.raw", raw<double>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_all(doubles, {.columns = 3, .dtype = "f8"}), expected);
  EXPECT_EQ(read_all(doubles, {.columns = 3, .dtype = "float64"}), expected);
  const ReadOptions turned{.transpose = true, .columns = 3, .dtype = "f8"};
  EXPECT_EQ(read_all(doubles, turned), expected.transpose());
  EXPECT_EQ(read_all(folder.write("x.bin", std::string("\0\1\0\2\0\3", 6)),
                     {.columns = 1, .dtype = ">u2"}),
            rows({{1}, {2}, {3}}));
  EXPECT_EQ(complaint(doubles, {.columns = 4, .dtype = "f8"}),
            "is truncated: expected rows of 32 bytes, found 16 bytes after the last");
  const auto usage = [&](const ReadOptions& options) {
    return error_of<InvalidOptions>([&] { open_samples(doubles, options); });
  };
  EXPECT_EQ(usage({.dtype = "f8"}), "raw input needs --columns (numbers a row)");
  EXPECT_EQ(usage({.columns = 1}), "raw input needs --dtype (f4, f8, u1, >i2, ...)");
  EXPECT_EQ(usage({.columns = 1, .dtype = "f16"}).substr(0, 16), "dtype must be b1");
}

TEST(Zstd, IsDecompressed) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  const std::string packed = zstd(text);
  const Matrix<double> numbers = read_all(folder.write("x.csv.zst", packed), {}, 1000);
  ASSERT_EQ(numbers.cols(), 100'000);
  EXPECT_EQ(numbers(0, 99'999), 99'999);
  EXPECT_EQ(read_all(folder.write("x.csv.zst", zstd("1\n") + zstd("2\n"))), rows({{1}, {2}}));
  EXPECT_EQ(read_all(folder.write("x.csv", zstd("1\n"))), rows({{1}})) << "whatever its name";
  EXPECT_EQ(read_all(folder.write("x.csv", gzip("1\n"))), rows({{1}}));
  EXPECT_EQ(complaint(folder.write("x.csv.zst", packed.substr(0, packed.size() / 2))),
            "the zstd data is truncated");
  EXPECT_EQ(complaint(folder.write("x.csv.zst", "")), "the zstd data is truncated");
  EXPECT_EQ(complaint(folder.write("x.csv.zst", "1\n2\n3\n4\n")),
            "is not valid zstd data: Unknown frame descriptor");
  EXPECT_EQ(complaint(folder.write("x.npy.zst", "")),
            "expected a text format under .zst, found .npy");
}

/// Samples after a skip are those that reading would have reached.
TEST(Skip, IsLikeReading) {
  const TemporaryFolder folder;
  Matrix<double> samples(3, 40);
  for (Index j = 0; j < 40; ++j) samples.col(j) << j % 4, static_cast<double>(j), j % 3 - 1;
  write_rows(folder.path("a.npy"), samples);
  std::string svm;
  for (Index j = 0; j < 40; ++j) {
    svm += "0 1:" + std::to_string(j % 4) + " 2:" + std::to_string(j) +
           " 3:" + std::to_string(j % 3 - 1) + "\n";
  }
  folder.write("a.svm", svm);
  folder.write("a.raw", bytes_of(folder.path("a.npy")).substr(128));
  for (const char* name : {"a.csv", "a.tsv", "a.mtx", "a.npz"}) {
    write_rows(folder.path(name), samples);
  }
  for (const char* name : {"a.npy", "a.csv", "a.tsv", "a.mtx", "a.npz", "a.svm", "a.raw"}) {
    for (const Index step : {1, 3}) {
      for (const std::size_t memory : {0, 1 << 20}) {
        ReadOptions options{.rows = {.start = 2, .step = step}, .sort_memory = memory};
        if (std::string(name) == "a.raw") {
          options.columns = 3;
          options.dtype = "f8";
        }
        const Matrix<double> all = read_all(folder.path(name), options);
        for (const Index count : {0, 1, 5, 11}) {
          const auto reader = open_samples(folder.path(name), options);
          SampleBuffer<double> buffer;
          reader->read(1, buffer);
          EXPECT_EQ(reader->skip(count), count);
          EXPECT_EQ(read_all(*reader, 4), all.rightCols(all.cols() - 1 - count)) << name;
        }
        const auto reader = open_samples(folder.path(name), options);
        EXPECT_EQ(reader->skip(1000), all.cols()) << name;
        EXPECT_EQ(reader->skip(1), 0);
      }
    }
  }
}

}  // namespace
}  // namespace nodl::io::test
