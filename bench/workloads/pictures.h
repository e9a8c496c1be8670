// Pictures to cut patches from.
#pragma once

#include <filesystem>
#include <string>

#include "nodl/types.h"

namespace nodl::bench {

struct Pictures {
  std::string origin;
  Index side = 0;
  Matrix<float> pixels;  // side^2 x count, in [0, 1]
};

enum class Part { Train, Test };

/// 100x100 photographs from `data`/images where they are; made-up pictures otherwise.
Pictures find_pictures(const std::filesystem::path& data, Part part);

/// Leaves of one grey each, with radii that follow r^-3, fallen over each other until nothing of
/// the ground is seen. Such pictures have what matters in natural ones: edges, occlusion, no scale
/// of their own, and so an amplitude spectrum that falls like 1/f (Lee, Mumford, Huang: Occlusion
/// models for natural images, 2001).
Pictures dead_leaves(Index count, Index side, std::uint64_t seed);

}  // namespace nodl::bench
