// Pictures as the studies want them: decoded, squeezed to a size, grey.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace nodl::study {

/// RGB, three bytes a pixel, row by row.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// JPEG or PNG, told by its first bytes. Grey pictures get three equal channels; transparency and
/// EXIF orientation are ignored. Throws DataError.
Picture read_picture(const std::filesystem::path& file);

/// Bicubic (a = -0.5) with its support widened by the reduction, so that nothing is skipped; first
/// across, then down, in the same fixed-point arithmetic as Pillow, whose bytes it gives.
Picture resized(const Picture& picture, int width, int height);

/// ITU-R 601: 0.299 R + 0.587 G + 0.114 B, rounded; one byte a pixel.
std::vector<std::uint8_t> grey(const Picture& picture);

}  // namespace nodl::study
