// Files with bytes changed at random: a reader gives samples or one DataError, and nothing else.
#include <gtest/gtest.h>

#include <random>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

constexpr int kRounds = 1500;

void expect_samples_or_data_error(const std::string& path, bool transpose) {
  try {
    const auto reader = open_samples(path, {.transpose = transpose});
    SampleBuffer<double> buffer;
    for (int batch = 0; batch < 20 && reader->read(3, buffer).samples() > 0; ++batch) {
    }
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

class DamagedFiles : public testing::TestWithParam<const char*> {};

TEST_P(DamagedFiles, GiveSamplesOrOneDataError) {
  const TemporaryFolder folder;
  const std::string path = folder.path(GetParam());
  const bool packed = path.ends_with(".gz");
  const std::string plain = packed ? path.substr(0, path.size() - 3) : path;
  write_rows(plain, rows({{1.25, 0, -3e7}, {0, 12, 0}, {7, 8, 9}, {1, 0, 0}}));
  const std::string whole = packed ? gzip(bytes_of(plain)) : bytes_of(plain);

  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = whole;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          bytes[at] ^= static_cast<char>(1 << random() % 8);
          break;
        case 2:
          bytes[at] = "09\n, -e%'(){}"[random() % 13];
          break;
        default:
          bytes.resize(std::max<std::size_t>(1, at));
          break;
      }
    }
    folder.write(GetParam(), bytes);
    expect_samples_or_data_error(path, round % 2 == 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         DamagedFiles,
                         testing::Values("a.npy", "a.csv", "a.csv.gz", "a.mtx", "a.npz"));

TEST(DamagedFiles, CompressedNpz) {
  const TemporaryFolder folder;
  const std::string whole =
      zip({{"indices.npy", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2})), true},
           {"indptr.npy", npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 3})), true},
           {"format.npy", npy("|S3", "()", "csr"), true},
           {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({2, 3})), true},
           {"data.npy", npy("<f8", "(3,)", raw<double>({1.5, 2, 3})), true}});
  std::mt19937 random(2);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    expect_samples_or_data_error(folder.write("a.npz", bytes), round % 2 == 1);
  }
}

}  // namespace
}  // namespace nodl::io::test
