#include "samples.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/io/sample_reader.h"
#include "nodl/random.h"
#include "pictures.h"

namespace nodl::bench {
namespace {

namespace fs = std::filesystem;

constexpr Index kPatch = 12;
constexpr float kFlat = 0.02F;       // norm of a centred patch below which there is nothing to see
constexpr Index kAtomsFrom = 20480;  // start atoms are among the first samples: all runs have them

Matrix<float> read(const fs::path& file, Index count) {
  const auto reader = io::open_samples(file.string());
  io::SampleBuffer<float> buffer;
  return reader->read(count, buffer).matrix();
}

/// The file's samples where it has at least as many as wanted; made and written otherwise.
template <class Make>
Matrix<float> cached(const fs::path& file, Index count, Make&& make) {
  if (fs::exists(file)) {
    Matrix<float> found = read(file, count);
    if (found.cols() == count) return found;
  }
  fs::create_directories(file.parent_path());
  Matrix<float> made = make();
  io::write_rows(file.string(), made);
  return made;
}

/// False if there was nothing but a constant.
bool normalise(Eigen::Ref<Vector<float>> x) {
  x.array() -= x.mean();
  const float norm = x.norm();
  if (norm < kFlat) return false;
  x /= norm;
  return true;
}

Matrix<float> cut_patches(const Pictures& pictures, Index count, std::uint64_t seed) {
  Matrix<float> patches(kPatch * kPatch, count);
  const auto places = static_cast<std::uint64_t>(pictures.side - kPatch + 1);
  for (Index i = 0; i < count; ++i) {
    Random random(seed, Purpose::ChooseSamples, static_cast<std::uint64_t>(i));
    do {
      const auto picture =
          static_cast<Index>(random.below(static_cast<std::uint64_t>(pictures.pixels.cols())));
      const auto row = static_cast<Index>(random.below(places));
      const auto col = static_cast<Index>(random.below(places));
      for (Index r = 0; r < kPatch; ++r) {
        patches.col(i).segment(r * kPatch, kPatch) =
            pictures.pixels.col(picture).segment((row + r) * pictures.side + col, kPatch);
      }
    } while (!normalise(patches.col(i)));
  }
  return patches;
}

std::vector<Index> shuffled(Index count, std::uint64_t seed) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index(0));
  Random random(seed, Purpose::ChooseSamples);
  for (Index i = count - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order;
}

Matrix<float> mixed_images(const fs::path& data, const std::string& end) {
  Matrix<float> all(1024, 0);
  for (const char* set : {"oxford", "flowers", "animals"}) {
    const Matrix<float> some = read(data / "images" / (set + end), 1900);
    all.conservativeResize(Eigen::NoChange, all.cols() + some.cols());
    all.rightCols(some.cols()) = some / 255;
  }
  Matrix<float> mixed(all.rows(), all.cols());
  const std::vector<Index> order = shuffled(all.cols(), 1);
  Index kept = 0;
  for (const Index from : order) {
    mixed.col(kept) = all.col(from);
    if (normalise(mixed.col(kept))) ++kept;
  }
  mixed.conservativeResize(Eigen::NoChange, kept);
  return mixed;
}

}  // namespace

Samples patches(const fs::path& cache, const fs::path& data, Index train, Index heldout) {
  Samples samples;
  const auto cut = [&](Part part, Index count) {
    const Pictures pictures = find_pictures(data, part);
    std::ofstream(cache / "patches_origin.txt") << pictures.origin << '\n';
    return cut_patches(pictures, count, part == Part::Train ? 1 : 2);
  };
  samples.train =
      cached(cache / "patches_train.npy", train, [&] { return cut(Part::Train, train); });
  samples.heldout =
      cached(cache / "patches_heldout.npy", heldout, [&] { return cut(Part::Test, heldout); });
  std::getline(std::ifstream(cache / "patches_origin.txt"), samples.origin);
  return samples;
}

std::optional<Samples> images(const fs::path& cache,
                              const fs::path& data,
                              Index train,
                              Index heldout) {
  if (!fs::exists(data / "images" / "oxford_train_32.npy")) return std::nullopt;
  Samples samples{"photographs", {}, {}};
  samples.train = cached(cache / "images_train.npy", train, [&] {
    return Matrix<float>(mixed_images(data, "_train_32.npy").leftCols(train));
  });
  samples.heldout = cached(cache / "images_heldout.npy", heldout, [&] {
    return Matrix<float>(mixed_images(data, "_test_32.npy").leftCols(heldout));
  });
  return samples;
}

Matrix<float> start_dictionary(const fs::path& cache,
                               const std::string& name,
                               const Samples& samples,
                               Index atoms) {
  if (samples.train.cols() < atoms) throw InvalidOptions("fewer samples than atoms");
  const fs::path file = cache / (name + "_start_" + std::to_string(atoms) + ".npy");
  return cached(file, atoms, [&] {
    const Index from = std::max(atoms, std::min(kAtomsFrom, samples.train.cols()));
    const std::vector<Index> order = shuffled(from, 3);
    Matrix<float> start(samples.train.rows(), atoms);
    for (Index j = 0; j < atoms; ++j) start.col(j) = samples.train.col(order[j]);
    return start;
  });
}

}  // namespace nodl::bench
