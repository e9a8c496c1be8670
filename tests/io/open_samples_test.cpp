#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

TEST(OpenSamples, SaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  for (const char* name : {"no.npy", "no.csv", "no.tsv.gz", "no.mtx", "no.npz", "no.xyz"}) {
    EXPECT_EQ(complaint(folder.path(name)), "cannot be opened: No such file or directory");
  }
  std::filesystem::create_directory(folder.path("a.npy"));
  std::filesystem::create_directory(folder.path("a.csv"));
  EXPECT_EQ(complaint(folder.path("a.npy")), "cannot be read: Is a directory");
  EXPECT_EQ(complaint(folder.path("a.csv")), "cannot be read: Is a directory");
}

TEST(OpenSamples, GoesByTheNameUnlessTold) {
  const TemporaryFolder folder;
  const std::string path = folder.write("data.txt", "1,2\n");
  EXPECT_EQ(
      complaint(path),
      "expected a name that ends in .npy, .csv, .tsv, .mtx, .npz, .svm, .svmlight, .libsvm, .raw, "
      ".bin (text also with .gz or .zst)");
  EXPECT_EQ(read_all(path, {.format = Format::Csv}), rows({{1, 2}}));
  EXPECT_EQ(read_all(folder.write("data.gz", gzip("1\t2\n")), {.format = Format::Tsv}),
            rows({{1, 2}}));
  EXPECT_EQ(read_all(folder.write("DATA.CSV.GZ", gzip("1,2\n"))), rows({{1, 2}}));
  EXPECT_EQ(complaint(folder.write("x.npy.gz", "")),
            "expected a text format under .gz, found .npy");
}

/// The same numbers through every format, bit for bit.
TEST(OpenSamples, FormatsAgree) {
  const TemporaryFolder folder;
  Matrix<double> samples(7, 11);
  for (Index j = 0; j < samples.cols(); ++j) {
    for (Index i = 0; i < samples.rows(); ++i) {
      samples(i, j) = (i + j) % 3 == 0 ? 0 : std::sin(static_cast<double>(3 * i + 17 * j)) / 3;
    }
  }
  samples(0, 1) = 5e-324;
  samples(1, 1) = 1.7976931348623157e308;
  samples(2, 2) = 0.1;
  const Matrix<float> samples32 = (samples.array().abs() > 1e30).select(1.0, samples).cast<float>();
  for (const char* name : {"a.npy", "a.csv", "a.tsv", "a.npz", "a.mtx"}) {
    write_rows(folder.path(name), samples);
    EXPECT_EQ(read_all(folder.path(name)), samples) << name;
    EXPECT_EQ(read_rows(folder.path(name)), samples) << name;
    write_rows(folder.path(name), samples32);
    EXPECT_EQ(read_all<float>(folder.path(name)), samples32) << name;
    EXPECT_EQ(read_all<float>(folder.path(name), {.transpose = true}), samples32.transpose())
        << name;
  }
}

TEST(OpenSamples, RoundsToFloatTheSameWayInEveryFormat) {
  const TemporaryFolder folder;
  // Text that a direct conversion to float rounds up, and one by way of double rounds down.
  const double value = 1 + 0x1p-24 + 0x1p-60;
  write_rows(folder.path("a.npy"), rows({{value}}));
  const std::string text = "1.00000005960464477539149";
  const Matrix<float> npy_value = read_all<float>(folder.path("a.npy"));
  EXPECT_EQ(read_all<float>(folder.write("a.csv", text + "\n")), npy_value);
  EXPECT_EQ(
      read_all<float>(folder.write(
          "a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + text + "\n")),
      npy_value);
}

}  // namespace
}  // namespace nodl::io::test
