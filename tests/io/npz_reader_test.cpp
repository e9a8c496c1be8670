#include <gtest/gtest.h>

#include <limits>

#include "io/files.h"

namespace nodl::io::test {
namespace {

/// The arrays of [[0, 1.5, 0], [2, 0, 3]], which tests damage one at a time.
struct Arrays {
  std::string format = "csr";
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<double> data = {1.5, 2, 3};
  std::vector<std::int32_t> indices = {1, 0, 2};
  std::vector<std::int32_t> indptr = {0, 1, 3};
  bool deflate = false;

  std::vector<ZipMember> members() const {
    const auto count = [](const auto& v) { return "(" + std::to_string(v.size()) + ",)"; };
    std::vector<ZipMember> out = {{"indices.npy", npy("<i4", count(indices), raw(indices))},
                                  {"indptr.npy", npy("<i4", count(indptr), raw(indptr))},
                                  {"format.npy", npy("|S3", "()", format)},
                                  {"shape.npy", npy("<i8", count(shape), raw(shape))},
                                  {"data.npy", npy("<f8", count(data), raw(data))}};
    for (ZipMember& member : out) member.deflate = deflate;
    return out;
  }
};

const Matrix<double> kRows = rows({{0, 1.5, 0}, {2, 0, 3}});

class NpzReader : public testing::Test {
 protected:
  std::string file(const std::string& bytes) { return folder_.write("x.npz", bytes); }
  std::string file(const Arrays& arrays) { return file(zip(arrays.members())); }
  TemporaryFolder folder_;
};

TEST_F(NpzReader, ReadsRowsAndColumns) {
  Arrays csc{.format = "csc", .data = {2, 1.5, 3}, .indices = {1, 0, 1}, .indptr = {0, 1, 2, 3}};
  for (const bool deflate : {false, true}) {
    Arrays csr{.deflate = deflate};
    csc.deflate = deflate;
    for (const Arrays& arrays : {csr, csc}) {
      const std::string path = file(arrays);
      EXPECT_EQ(read_all(path, {}, 1), kRows);
      EXPECT_EQ(read_all(path, {.transpose = true}), kRows.transpose());
      EXPECT_EQ(read_all(path, {.rows = {.start = -1}}), rows({{2, 0, 3}}));
      EXPECT_TRUE(open_samples(path)->is_sparse());
      EXPECT_EQ(open_samples(path)->samples(), 2);
    }
  }
}

TEST_F(NpzReader, ReadsCoordinates) {
  const std::vector<std::int32_t> row = {1, 0, 1}, col = {2, 1, 0};
  const std::vector<double> data = {3, 1.5, 2};
  const std::vector<ZipMember> members = {{"row.npy", npy("<i4", "(3,)", raw(row))},
                                          {"col.npy", npy("<i4", "(3,)", raw(col))},
                                          {"format.npy", npy("|S3", "()", "coo")},
                                          {"shape.npy", npy("<i8", "(2,)", raw(Arrays().shape))},
                                          {"data.npy", npy("<f8", "(3,)", raw(data))}};
  EXPECT_EQ(read_all(file(zip(members))), kRows);
  EXPECT_EQ(read_all(file(zip(members)), {.transpose = true}), kRows.transpose());
}

TEST_F(NpzReader, SortsAddsAndDropsZeros) {
  const Arrays arrays{
      .data = {3, 1, 0, 2, 4, -4}, .indices = {2, 1, 0, 2, 1, 1}, .indptr = {0, 4, 6}};
  SampleBuffer<double> buffer;
  const auto reader = open_samples(file(arrays));
  reader->read(9, buffer);
  EXPECT_EQ(buffer.sparse.indices, (std::vector<RowIndex>{1, 2}));
  EXPECT_EQ(buffer.sparse.values, (std::vector<double>{1, 5}));
  EXPECT_EQ(buffer.sparse.starts, (std::vector<Index>{0, 2, 2}));
}

TEST_F(NpzReader, ChecksTheArrays) {
  const std::string nan = "row 2, column 1: expected a finite number, found nan";
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint(file(Arrays{.data = {1.5, not_a_number, 3}})), nan);
  EXPECT_EQ(complaint(file(Arrays{.data = {1.5, not_a_number, 3}}), {.transpose = true}), nan);
  EXPECT_EQ(complaint<float>(file(Arrays{.data = {1.5, 1e39, 3}})),
            "row 2, column 1: expected a number that fits into float32, found 1e+39");
  EXPECT_EQ(complaint(file(Arrays{.indices = {1, 0, 3}})),
            "row 2: indices.npy: element 3: expected an index from 0 to 2, found 3");
  EXPECT_EQ(complaint(file(Arrays{.indices = {1, -1, 2}}), {.transpose = true}),
            "indices.npy: element 2: expected an index from 0 to 2, found -1");
  EXPECT_EQ(complaint(file(Arrays{.indptr = {0, 4, 3}})),
            "indptr.npy: element 2: expected a number from 0 to 3, found 4");
  EXPECT_EQ(complaint(file(Arrays{.indptr = {0, 2, 1}})),
            "indptr.npy: element 3: expected a number from 2 to 3, found 1");
  EXPECT_EQ(complaint(file(Arrays{.indptr = {1, 1, 3}})),
            "indptr.npy: element 1: expected 0, found 1");
  EXPECT_EQ(complaint(file(Arrays{.indptr = {0, 3}})),
            "indptr.npy: expected 2 + 1 elements, found 2");
  EXPECT_EQ(complaint(file(Arrays{.data = {1.5, 2}})),
            "expected as many indices as data, found 3 and 2");
  EXPECT_EQ(complaint(file(Arrays{.shape = {2, 0}})), "has no columns");
  EXPECT_EQ(complaint(file(Arrays{.shape = {0, 3}})), "has no rows");
  EXPECT_EQ(complaint(file(Arrays{.shape = {-2, 3}})),
            "shape.npy: expected sizes that are not negative");
  EXPECT_EQ(complaint(file(Arrays{.shape = {2, 3, 4}})), "shape.npy: expected 2 numbers, found 3");
  EXPECT_EQ(complaint(file(Arrays{.shape = {2, std::int64_t{1} << 31}})),
            "expected samples of at most 2147483647 numbers, found 2147483648");
  EXPECT_EQ(complaint(file(Arrays{.format = "bsr"})),
            "expected a sparse matrix in format csr, csc or coo, found 'bsr'");
}

TEST_F(NpzReader, RefusesOtherArchives) {
  EXPECT_EQ(complaint(file(zip({{"arr_0.npy", npy("<f8", "(1, 1)", raw<double>({1}))}}))),
            "expected a sparse matrix of scipy.sparse.save_npz, found no format.npy");
  std::vector<ZipMember> members = Arrays().members();
  members.erase(members.begin());
  EXPECT_EQ(complaint(file(zip(members))), "lacks the array indices.npy");
  members = Arrays().members();
  members[0].bytes = npy("<f8", "(3,)", raw<double>({1, 0, 2}));
  EXPECT_EQ(complaint(file(zip(members))), "indices.npy: expected integers");
  members[0].bytes = "nothing like it";
  EXPECT_EQ(complaint(file(zip(members))),
            "indices.npy: expected a .npy file, found no NumPy header");
}

TEST_F(NpzReader, ChecksTheZip) {
  for (const bool deflate : {false, true}) {
    const std::string whole = zip(Arrays{.deflate = deflate}.members());
    EXPECT_EQ(complaint(file(whole + "a comment?")), "no error");
    for (std::size_t size = 1; size < whole.size(); size += 7) {
      EXPECT_EQ(complaint(file(whole.substr(0, size))), "is truncated or not a zip file");
    }
    std::vector<ZipMember> members = Arrays{.deflate = deflate}.members();
    members[4].crc_error = 1;
    EXPECT_EQ(complaint(file(zip(members))), "data.npy: the checksum does not match");
  }
  std::vector<ZipMember> members = Arrays{.deflate = true}.members();
  members[4].stated_size = 0xfffffffe;
  EXPECT_EQ(complaint(file(zip(members))), "data.npy: states a size that its data cannot have");
  members[4].stated_size = members[4].bytes.size() + 1;
  EXPECT_EQ(complaint(file(zip(members))),
            "data.npy: holds more or less than the zip directory states");
  members[4].stated_size = members[4].bytes.size() - 1;
  EXPECT_EQ(complaint(file(zip(members))),
            "data.npy: is truncated: expected 24 bytes for shape (3,), found 23");
}

}  // namespace
}  // namespace nodl::io::test
