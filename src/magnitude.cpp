#include "magnitude.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <sstream>
#include <type_traits>

#include "nodl/error.h"
#include "simd/kernels.h"

namespace nodl {
namespace {

[[noreturn]] void refuse(Index sample, double value) {
  std::ostringstream text;
  text << "sample " << sample + 1 << " of a batch holds a number of size " << value
       << ", expected ";
  if (std::isfinite(value)) {
    text << "at most " << kLargestNumber << ": its square would overflow";
  } else {
    text << "a finite one";
  }
  throw DataError(text.str());
}

template <class Scalar>
std::span<const Scalar> stored_numbers(const Batch<Scalar>& batch, Index i) {
  if (!batch.is_sparse()) {
    return {batch.sample(i), static_cast<std::size_t>(batch.dimension())};
  }
  const SparseColumns<Scalar>& x = batch.columns();
  return {x.values + x.starts[i], static_cast<std::size_t>(x.nonzeros(i))};
}

template <class Scalar>
bool is_squarable(std::span<const Scalar> x) {
  constexpr double kMost = std::min<double>(kLargestNumber, std::numeric_limits<Scalar>::max());
  const auto& simd = simd::kernels<Scalar>();
  return simd.all_within(x.data(), static_cast<Index>(x.size()), static_cast<Scalar>(kMost));
}

template <class Scalar>
bool is_constant(std::span<const Scalar> x, Index dimension) {
  constexpr double kFarMoreThanRounding = 1e-10;
  if (x.empty()) return true;
  const double first = x.front();
  const bool differs = std::any_of(x.begin(), x.end(), [&](double value) {
    return std::abs(value - first) >
           kFarMoreThanRounding * std::max(std::abs(value), std::abs(first));
  });
  if (differs) return false;
  const double n = static_cast<double>(dimension), zeros = n - static_cast<double>(x.size());
  double sum = 0, square = 0, deviation = 0;
  for (const double value : x) {
    sum += value;
    square += value * value;
  }
  const double mean = sum / n;
  for (const double value : x) deviation += (value - mean) * (value - mean);
  return is_rounding(deviation + zeros * mean * mean, square);
}

}  // namespace

template <class Scalar>
void require_squarable(const Batch<Scalar>& batch) {
  for (Index i = 0; i < batch.samples(); ++i) {
    const std::span<const Scalar> x = stored_numbers(batch, i);
    if (is_squarable(x)) continue;
    for (const Scalar value : x) {
      if (!is_squarable<Scalar>({&value, 1})) refuse(i, std::abs(value));
    }
  }
}

template <class Scalar>
void require_squarable(const Batch<Scalar>& batch, ThreadPool& pool) {
  constexpr Index kAtOnce = 64;
  const Index n = batch.samples();
  std::atomic<bool> wrong{false};
  pool.run((n + kAtOnce - 1) / kAtOnce, [&](Index piece, int) {
    for (Index i = piece * kAtOnce; i < std::min(n, (piece + 1) * kAtOnce); ++i) {
      if (!is_squarable(stored_numbers(batch, i))) wrong = true;
    }
  });
  if (wrong) require_squarable(batch);  // names the first one, whichever thread was faster
}

template <class Scalar>
std::vector<Index> constant_samples(const Batch<Scalar>& batch) {
  std::vector<Index> found;
  for (Index i = 0; i < batch.samples(); ++i) {
    if (is_constant(stored_numbers(batch, i), batch.dimension())) found.push_back(i);
  }
  return found;
}

template void require_squarable(const Batch<double>&);
template void require_squarable(const Batch<float>&);
template void require_squarable(const Batch<double>&, ThreadPool&);
template void require_squarable(const Batch<float>&, ThreadPool&);
template std::vector<Index> constant_samples(const Batch<double>&);
template std::vector<Index> constant_samples(const Batch<float>&);

}  // namespace nodl
