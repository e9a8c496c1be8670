#include "nodl/random.h"

#include <cmath>
#include <numbers>

namespace nodl {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ULL * c[0];
    const std::uint64_t p1 = 0xCD9E8D57ULL * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0],
         static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1],
         static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return c;
}

// The key is the seed; the counter holds what tells streams apart and the number of the block, so
// that two streams never share a block.
Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t first, std::uint32_t second)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{
          0,
          second,
          static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(purpose) << 24 ^ static_cast<std::uint32_t>(first >> 32)} {}

std::uint64_t Random::bits() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  const std::uint64_t high = block_[used_];
  const std::uint64_t low = block_[used_ + 1];
  used_ += 2;
  return high << 32 | low;
}

double Random::uniform() {
  // The middles of 2^52 equal cells: symmetric around 1/2, and neither end is ever drawn.
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t limit =
      -bound % bound;  // 2^64 mod bound: what would make low values likelier
  std::uint64_t value = bits();
  while (value < limit) value = bits();
  return value % bound;
}

}  // namespace nodl
