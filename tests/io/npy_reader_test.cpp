#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "io/files.h"

namespace nodl::io::test {
namespace {

const std::vector<double> kNumbers = {1, 2, 3, 4, 5, 6};  // 2 x 3 in C order
const Matrix<double> kRows = rows({{1, 2, 3}, {4, 5, 6}});
const Matrix<double> kColumns = rows({{1, 4}, {2, 5}, {3, 6}});

class NpyReader : public testing::Test {
 protected:
  std::string file(const std::string& bytes) { return folder_.write("x.npy", bytes); }
  TemporaryFolder folder_;
};

template <class Number>
std::string converted(bool swapped) {
  std::string out;
  for (const double number : kNumbers) {
    std::string bytes = raw(std::vector<Number>{static_cast<Number>(number)});
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  }
  return out;
}

TEST_F(NpyReader, ReadsEveryTypeInBothByteOrders) {
  for (const bool swapped : {false, true}) {
    const std::string order = swapped ? ">" : "<";
    const std::pair<const char*, std::string> cases[] = {{"i1", converted<std::int8_t>(swapped)},
                                                         {"u1", converted<std::uint8_t>(swapped)},
                                                         {"i2", converted<std::int16_t>(swapped)},
                                                         {"u2", converted<std::uint16_t>(swapped)},
                                                         {"i4", converted<std::int32_t>(swapped)},
                                                         {"u4", converted<std::uint32_t>(swapped)},
                                                         {"i8", converted<std::int64_t>(swapped)},
                                                         {"u8", converted<std::uint64_t>(swapped)},
                                                         {"f4", converted<float>(swapped)},
                                                         {"f8", converted<double>(swapped)}};
    for (const auto& [type, data] : cases) {
      const std::string path = file(npy(order + type, "(2, 3)", data));
      EXPECT_EQ(read_all(path), kRows) << order << type;
      EXPECT_EQ(read_all<float>(path), kRows.cast<float>()) << order << type;
    }
  }
}

TEST_F(NpyReader, ReadsBoolAndHalf) {
  EXPECT_EQ(read_all(file(npy("|b1", "(1, 3)", std::string("\0\1\1", 3)))), rows({{0, 1, 1}}));
  // 1, -2, 65504, the smallest normal, the smallest subnormal, 0
  const std::vector<std::uint16_t> half = {0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0};
  EXPECT_EQ(read_all(file(npy("<f2", "(1, 6)", raw(half)))),
            rows({{1, -2, 65504, 0x1p-14, 0x1p-24, 0}}));
}

TEST_F(NpyReader, ReadsBothOrdersTransposedOrNot) {
  const std::vector<double> by_columns = {1, 4, 2, 5, 3, 6};
  for (const bool fortran : {false, true}) {
    const std::string data = raw(fortran ? by_columns : kNumbers);
    const std::string path = file(npy("<f8", "(2, 3)", data, fortran));
    EXPECT_EQ(read_all(path), kRows);
    EXPECT_EQ(read_all(path, {.transpose = true}, 2), kColumns);
    EXPECT_EQ(read_all(path, {.rows = {.step = Index{1} << 61}}), kRows.leftCols(1));
  }
}

TEST_F(NpyReader, TurnsMatricesLargerThanABlock) {
  const Index height = 71, width = 83;
  std::vector<double> numbers;
  Matrix<double> expected(height, width);
  for (Index r = 0; r < height; ++r) {
    for (Index c = 0; c < width; ++c) {
      numbers.push_back(static_cast<double>(r * 1000 + c));
      expected(r, c) = numbers.back();
    }
  }
  const std::string path = file(npy("<f8", "(71, 83)", raw(numbers)));
  EXPECT_EQ(read_all(path, {.transpose = true}, 50), expected);
  const ReadOptions some{.transpose = true, .rows = {.start = 5, .stop = 80, .step = 2}};
  const Matrix<double> read = read_all(path, some, 37);
  ASSERT_EQ(read.cols(), 38);
  for (Index j = 0; j < read.cols(); ++j) EXPECT_EQ(read.col(j), expected.col(5 + 2 * j));
}

TEST_F(NpyReader, ReadsVersions2And3) {
  for (const int version : {2, 3}) {
    EXPECT_EQ(read_all(file(npy("<f8", "(2, 3)", raw(kNumbers), false, version))), kRows);
  }
  EXPECT_EQ(complaint(file(npy("<f8", "(2, 3)", raw(kNumbers), false, 4))),
            "expected .npy version 1, 2 or 3, found 4");
}

TEST_F(NpyReader, GivesAViewOfTheFileWhereItCan) {
  SampleBuffer<double> buffer;
  const std::string path = file(npy("<f8", "(2, 3)", raw(kNumbers)));
  const auto reader = open_samples(path);
  EXPECT_EQ(reader->samples(), 2);
  const Batch<double> batch = reader->read(2, buffer);
  EXPECT_EQ(batch.matrix(), kRows);
  EXPECT_EQ(buffer.dense.size(), 0);  // nothing was copied

  const std::string shifted =
      npy_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}\n", raw(kNumbers));
  const auto unaligned = open_samples(file(shifted));
  EXPECT_EQ(unaligned->read(2, buffer).matrix(), kRows);
}

TEST_F(NpyReader, ReadsTheRowsAskedFor) {
  const std::string path = file(npy("<f8", "(6, 1)", raw(kNumbers)));
  const auto range = [](Index start, Index step) {
    return ReadOptions{.rows = {.start = start, .stop = std::nullopt, .step = step}};
  };
  EXPECT_EQ(read_all(path, range(1, 2), 2), rows({{2}, {4}, {6}}));
  EXPECT_EQ(read_all(path, range(-2, 1)), rows({{5}, {6}}));
  EXPECT_EQ(open_samples(path, range(-2, 1))->samples(), 2);
  EXPECT_EQ(read_all(path, range(7, 1)).cols(), 0);
}

TEST_F(NpyReader, NamesThePlaceOfABadNumber) {
  std::vector<double> numbers = kNumbers;
  numbers[4] = std::numeric_limits<double>::quiet_NaN();
  const std::string path = file(npy("<f8", "(2, 3)", raw(numbers)));
  EXPECT_EQ(complaint(path), "row 2, column 2: expected a finite number, found nan");
  EXPECT_EQ(complaint(path, {.transpose = true}),
            "row 2, column 2: expected a finite number, found nan");
  EXPECT_EQ(complaint<float>(path), "row 2, column 2: expected a finite number, found nan");
  numbers[4] = -1e300;
  file(npy("<f8", "(2, 3)", raw(numbers)));
  EXPECT_EQ(complaint(path), "no error");
  EXPECT_EQ(complaint<float>(path),
            "row 2, column 2: expected a number that fits into float32, found -1e+300");
  numbers[2] = std::numeric_limits<double>::infinity();
  file(npy("<f8", "(3, 2)", raw(numbers), true));
  EXPECT_EQ(complaint(path), "row 3, column 1: expected a finite number, found inf");
}

TEST_F(NpyReader, RefusesOtherTypesAndShapes) {
  const std::string front =
      "expected numbers (bool, integers or floats of up to 64 bits), found dtype ";
  EXPECT_EQ(complaint(file(npy("|O", "(1, 1)", "xxxxxxxx"))), front + "'|O' (Python objects)");
  EXPECT_EQ(complaint(file(npy("<c16", "(1, 1)", std::string(16, 'x')))),
            front + "'<c16' (complex numbers)");
  EXPECT_EQ(complaint(file(npy("<M8[ns]", "(1, 1)", "xxxxxxxx"))), front + "'<M8[ns]' (dates)");
  EXPECT_EQ(complaint(file(npy("<f16", "(1, 1)", std::string(16, 'x')))), front + "'<f16'");
  EXPECT_EQ(complaint(file(npy("<U1", "(1, 1)", "xxxx"))), "expected numbers, found strings");
  EXPECT_EQ(complaint(file(npy_with_header("{'descr': [('a', '<f8')], 'fortran_order': False, "
                                           "'shape': (1, 1), }\n",
                                           "xxxxxxxx"))),
            "expected numbers, found a structured dtype (records of named fields)");
  EXPECT_EQ(complaint(file(npy("<f8", "(6,)", raw(kNumbers)))),
            "expected a 2-D array, found a 1-D array of shape (6,)");
  EXPECT_EQ(complaint(file(npy("<f8", "(1, 2, 3)", raw(kNumbers)))),
            "expected a 2-D array, found a 3-D array of shape (1, 2, 3)");
  EXPECT_EQ(complaint(file(npy("<f8", "(0, 3)", ""))), "has no rows");
  EXPECT_EQ(complaint(file(npy("<f8", "(3, 0)", ""))), "has no columns");
}

TEST_F(NpyReader, DoesNotBelieveHeaders) {
  EXPECT_EQ(complaint(file("")), "is empty");
  EXPECT_EQ(complaint(file("\x93NUM")), "expected a .npy file, found no NumPy header");
  EXPECT_EQ(complaint(file("1,2,3\n4,5,6\n")), "expected a .npy file, found no NumPy header");
  EXPECT_EQ(complaint(file(std::string("\x93NUMPY\x01\x00\xff\xff{", 11))),
            "the NumPy header is truncated");
  EXPECT_EQ(complaint(file(std::string("\x93NUMPY\x02\x00\xff\xff", 10))),
            "the NumPy header is truncated");
  EXPECT_EQ(complaint(file(npy("<f8", "(2, 4)", raw(kNumbers)))),
            "is truncated: expected 64 bytes for shape (2, 4), found 48");
  EXPECT_EQ(complaint(file(npy("<f8", "(9223372036854775807, 9223372036854775807)", ""))),
            "is truncated: expected more than 2^64 bytes for shape (9223372036854775807, "
            "9223372036854775807), found 0");
  EXPECT_EQ(complaint(file(npy("<f8", "(-1, 3)", raw(kNumbers)))).substr(0, 27),
            "the NumPy header is damaged");
  EXPECT_EQ(complaint(file(npy_with_header("{'descr': '<f8', 'shape': (2, 3)}", raw(kNumbers)))),
            "the NumPy header lacks descr, fortran_order or shape");
  EXPECT_EQ(complaint(file(npy_with_header("{'surprise': True}", ""))),
            "the NumPy header has an unexpected key 'surprise'");
}

}  // namespace
}  // namespace nodl::io::test
