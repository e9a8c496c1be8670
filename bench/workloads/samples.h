// Samples of the dense workloads: made once, kept as .npy files that all rivals read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "nodl/types.h"

namespace nodl::bench {

/// Centred, unit norm, a sample a column. Kept as float32, so that both precisions see the same
/// numbers.
struct Samples {
  std::string origin;
  Matrix<float> train;
  Matrix<float> heldout;
};

/// 12x12 patches, cut at random places. The first n patches do not depend on how many there are.
Samples patches(const std::filesystem::path& cache,
                const std::filesystem::path& data,
                Index train,
                Index heldout);

/// 32x32 images of the three sets in a random order; nothing without the data.
std::optional<Samples> images(const std::filesystem::path& cache,
                              const std::filesystem::path& data,
                              Index train,
                              Index heldout);

/// k training samples as atoms, the same for everybody.
Matrix<float> start_dictionary(const std::filesystem::path& cache,
                               const std::string& name,
                               const Samples& samples,
                               Index atoms);

}  // namespace nodl::bench
