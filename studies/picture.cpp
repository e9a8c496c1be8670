// Resampling as Pillow's Resample.c does it. Written here because the libraries at hand do
// something else: OpenCV's bicubic skips pixels when it reduces, and libvips brings a hundred
// packages.
#include "picture.h"

#include <algorithm>
#include <cmath>

namespace nodl::study {
namespace {

constexpr int kBits = 32 - 8 - 2;  // of the fixed-point weights

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

/// Which inputs make an output, and with what weights.
struct Taps {
  int first = 0;
  std::vector<std::int32_t> weights;
};

std::vector<Taps> taps_of(int in, int out) {
  const double scale = static_cast<double>(in) / out;
  const double widened = std::max(scale, 1.0);
  const double support = 2 * widened;
  std::vector<Taps> all;
  for (int i = 0; i < out; ++i) {
    const double centre = (i + 0.5) * scale;
    Taps taps;
    taps.first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int last = std::min(in, static_cast<int>(centre + support + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int x = taps.first; x < last; ++x) {
      weights.push_back(bicubic((x - centre + 0.5) / widened));
      sum += weights.back();
    }
    for (const double weight : weights) {
      const double fixed = weight / sum * (1 << kBits);
      taps.weights.push_back(static_cast<std::int32_t>(fixed < 0 ? fixed - 0.5 : fixed + 0.5));
    }
    all.push_back(std::move(taps));
  }
  return all;
}

std::uint8_t clipped(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kBits, 0, 255));
}

/// Numbers are `stride` bytes apart along the axis that is resampled.
std::uint8_t weighted(const std::uint8_t* from, std::size_t stride, const Taps& taps) {
  std::int64_t sum = std::int64_t{1} << (kBits - 1);
  from += stride * static_cast<std::size_t>(taps.first);
  for (const std::int32_t weight : taps.weights) {
    sum += static_cast<std::int64_t>(weight) * *from;
    from += stride;
  }
  return clipped(sum);
}

Picture squeezed_across(const Picture& in, int width) {
  if (in.width == width) return in;
  Picture out{width, in.height, {}};
  out.rgb.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(in.height));
  const std::vector<Taps> taps = taps_of(in.width, width);
  for (int y = 0; y < in.height; ++y) {
    const std::uint8_t* row =
        in.rgb.data() + 3 * static_cast<std::size_t>(y) * static_cast<std::size_t>(in.width);
    for (const Taps& one : taps) {
      for (int c = 0; c < 3; ++c) out.rgb.push_back(weighted(row + c, 3, one));
    }
  }
  return out;
}

Picture squeezed_down(const Picture& in, int height) {
  if (in.height == height) return in;
  Picture out{in.width, height, {}};
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(in.width);
  out.rgb.reserve(row_bytes * static_cast<std::size_t>(height));
  for (const Taps& one : taps_of(in.height, height)) {
    for (std::size_t i = 0; i < row_bytes; ++i) {
      out.rgb.push_back(weighted(in.rgb.data() + i, row_bytes, one));
    }
  }
  return out;
}

}  // namespace

Picture resized(const Picture& picture, int width, int height) {
  return squeezed_down(squeezed_across(picture, width), height);
}

std::vector<std::uint8_t> grey(const Picture& picture) {
  std::vector<std::uint8_t> levels;
  levels.reserve(picture.rgb.size() / 3);
  for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3) {
    const std::uint32_t sum = 19595U * picture.rgb[i] + 38470U * picture.rgb[i + 1] +
                              7471U * picture.rgb[i + 2] + 0x8000U;
    levels.push_back(static_cast<std::uint8_t>(sum >> 16));
  }
  return levels;
}

}  // namespace nodl::study
