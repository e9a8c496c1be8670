// The paper's own data, where it is at hand: ../shared/data beside the project, or NODL_DATA.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "nodl/io/sample_reader.h"
#include "nodl/random.h"
#include "nodl/types.h"

namespace nodl::test {

inline std::filesystem::path paper_data() {
  if (const char* folder = std::getenv("NODL_DATA")) return folder;
  return std::filesystem::path(NODL_SOURCE_DIR) / ".." / "shared" / "data";
}

/// Skips the test without the data, unless it must be there (set by ./test where it is).
#define NODL_NEEDS_PAPER_DATA(file)                                                      \
  if (!std::filesystem::exists(nodl::test::paper_data() / (file))) {                     \
    if (std::getenv("NODL_REQUIRE_DATA")) FAIL() << "no " << (file) << " in the data";   \
    GTEST_SKIP() << "needs the paper's data: set NODL_DATA to a folder with " << (file); \
  }

/// All samples of a dense file, a sample a column, divided by 255.
inline Matrix<double> load_images(const std::string& name) {
  const auto reader = io::open_samples((paper_data() / "images" / name).string());
  io::SampleBuffer<double> buffer;
  const Batch<double> batch = reader->read(*reader->samples(), buffer);
  return batch.matrix() / 255;
}

/// Columns of a and b in an order drawn from the seed, as the second domain of the image stream.
inline Matrix<double> shuffled_together(const Matrix<double>& a,
                                        const Matrix<double>& b,
                                        std::uint64_t seed) {
  Matrix<double> all(a.rows(), a.cols() + b.cols());
  all << a, b;
  Random random(seed, Purpose::ChooseSamples, 1);
  for (Index i = all.cols() - 1; i > 0; --i) {
    const Index j = static_cast<Index>(random.below(static_cast<std::uint64_t>(i) + 1));
    all.col(i).swap(all.col(j));
  }
  return all;
}

}  // namespace nodl::test
