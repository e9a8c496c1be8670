#include "pictures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nodl/io/sample_reader.h"
#include "nodl/random.h"

namespace nodl::bench {
namespace {

constexpr Index kPhotosPerSet = 600;
constexpr Index kMadeUp = 200;

/// One picture; later leaves lie below earlier ones, so that only bare ground is painted.
void let_leaves_fall(Random& random, Index side, float* picture) {
  const double smallest = 1, largest = static_cast<double>(side);
  std::vector<bool> covered(side * side);
  Index bare = side * side;
  while (bare > 0) {
    // Inverse of the distribution function of p(r) ~ r^-3 on [smallest, largest].
    const double u = random.uniform();
    const double low = 1 / (smallest * smallest), high = 1 / (largest * largest);
    const double radius = 1 / std::sqrt(low + u * (high - low));
    const double span = static_cast<double>(side) + 2 * radius;
    const double row = random.uniform() * span - radius, col = random.uniform() * span - radius;
    const auto grey = static_cast<float>(random.uniform());
    const auto first = [](double x) { return std::max<Index>(0, static_cast<Index>(x)); };
    const auto last = [&](double x) { return std::min(side - 1, static_cast<Index>(x)); };
    for (Index i = first(row - radius); i <= last(row + radius) && row + radius >= 0; ++i) {
      for (Index j = first(col - radius); j <= last(col + radius) && col + radius >= 0; ++j) {
        const double di = static_cast<double>(i) - row, dj = static_cast<double>(j) - col;
        if (covered[i * side + j] || di * di + dj * dj > radius * radius) continue;
        covered[i * side + j] = true;
        picture[i * side + j] = grey;
        --bare;
      }
    }
  }
}

}  // namespace

Pictures dead_leaves(Index count, Index side, std::uint64_t seed) {
  Pictures pictures{"dead leaves", side, Matrix<float>(side * side, count)};
  for (Index i = 0; i < count; ++i) {
    Random random(seed, Purpose::SyntheticData, static_cast<std::uint64_t>(i));
    let_leaves_fall(random, side, pictures.pixels.col(i).data());
  }
  return pictures;
}

Pictures find_pictures(const std::filesystem::path& data, Part part) {
  const std::string end = part == Part::Train ? "_train_100.npy" : "_test_100.npy";
  Pictures pictures{"photographs", 100, Matrix<float>(10000, 0)};
  for (const char* set : {"oxford", "flowers", "animals"}) {
    const std::filesystem::path file = data / "images" / (set + end);
    if (!std::filesystem::exists(file)) return dead_leaves(kMadeUp, 100, part == Part::Train);
    const auto reader = io::open_samples(file.string());
    io::SampleBuffer<float> buffer;
    const Batch<float> photos = reader->read(kPhotosPerSet, buffer);
    pictures.pixels.conservativeResize(Eigen::NoChange, pictures.pixels.cols() + photos.samples());
    pictures.pixels.rightCols(photos.samples()) = photos.matrix() / 255;
  }
  return pictures;
}

}  // namespace nodl::bench
