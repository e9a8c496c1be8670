#include "nodl/stream_place.h"

#include <bit>

namespace nodl {
namespace {

constexpr std::uint64_t kOfIndex = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kOfValue = 0xD1B54A32D192ED03;
constexpr std::uint64_t kOfOrder = 0xA0761D6478BD642F;  // odd: appending loses nothing

__extension__ using Wide = unsigned __int128;

/// Both halves of the 128-bit product: every bit of a and b reaches every bit of the result.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Zeros count for nothing, so that a sparse sample and the same sample stored dense are equal.
template <class Scalar>
std::uint64_t hash_of(std::uint64_t index, Scalar value) {
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
  return value == 0 ? 0 : mix(bits ^ kOfValue, (index + 1) * kOfIndex);
}

template <class Scalar>
std::uint64_t sum_of_hashes(const Batch<Scalar>& batch, Index sample) {
  std::uint64_t sum = 0;
  if (batch.is_sparse()) {
    const SparseColumns<Scalar>& x = batch.columns();
    for (Index p = x.starts[sample]; p < x.starts[sample + 1]; ++p) {
      sum += hash_of(static_cast<std::uint64_t>(x.indices[p]), x.values[p]);
    }
  } else {
    const Scalar* x = batch.sample(sample);
    for (Index i = 0; i < batch.dimension(); ++i) {
      sum += hash_of(static_cast<std::uint64_t>(i), x[i]);
    }
  }
  return sum;
}

std::uint64_t power(std::uint64_t base, std::int64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

}  // namespace

// hash = sum_i kOfOrder^(n-1-i) h_i mod 2^64: two digests are joined without their samples.
void SampleDigest::append(const SampleDigest& next) {
  samples += next.samples;
  hash = hash * power(kOfOrder, next.samples) + next.hash;
}

template <class Scalar>
SampleDigest digest_of(const Batch<Scalar>& batch) {
  SampleDigest digest{batch.samples(), 0};
  for (Index i = 0; i < batch.samples(); ++i) {
    // Mixed once more: a sample of zeros must count, too.
    digest.hash = digest.hash * kOfOrder + mix(sum_of_hashes(batch, i) ^ kOfOrder, kOfIndex);
  }
  return digest;
}

template SampleDigest digest_of(const Batch<double>&);
template SampleDigest digest_of(const Batch<float>&);

}  // namespace nodl
