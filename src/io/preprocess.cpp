#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "magnitude.h"
#include "nodl/error.h"
#include "nodl/io/sample_stream.h"

namespace nodl::io {
namespace {

// Sums run in double and in the order of the coordinates. So a sample gives the same bits wherever
// it lies in memory, in whichever batch, and whether it came sparse or dense.

template <class Scalar>
double norm(const Scalar* values, Index count) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::abs(double{values[i]}));
  if (largest == 0) return 0;
  // Squares of numbers outside of this range would overflow or vanish.
  const bool safe = largest > 1e-140 && largest < 1e140;
  const double unit = safe ? 1 : largest;
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += (values[i] / unit) * (values[i] / unit);
  return std::sqrt(sum) * unit;
}

template <class Scalar>
void center(Scalar* sample, Index count) {
  const auto [low, high] = std::minmax_element(sample, sample + count);
  if (*low == *high) {  // rounding of the mean must not leave a sample of noise
    std::fill(sample, sample + count, Scalar(0));
    return;
  }
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += sample[i];
  const double mean = sum / static_cast<double>(count);
  for (Index i = 0; i < count; ++i) sample[i] = static_cast<Scalar>(sample[i] - mean);
}

template <class Scalar>
void scale(Scalar* values, Index count, const PreprocessOptions& options) {
  if (options.scale_to_unit) {
    const double length = norm(values, count);
    if (length == 0) return;
    for (Index i = 0; i < count; ++i) values[i] = static_cast<Scalar>(values[i] / length);
  }
  if (options.scale != 1.0) {
    for (Index i = 0; i < count; ++i) values[i] = static_cast<Scalar>(values[i] * options.scale);
  }
  if (!std::all_of(values, values + count, [](Scalar x) { return std::isfinite(x); })) {
    throw DataError("a sample is too large for its numbers after centring and scaling");
  }
}

template <class Scalar>
Batch<Scalar> densified(const SparseColumns<Scalar>& batch, SampleBuffer<Scalar>& buffer) {
  buffer.dense.setZero(batch.rows, batch.cols);
  for (Index j = 0; j < batch.cols; ++j) {
    for (Index p = batch.starts[j]; p < batch.starts[j + 1]; ++p) {
      buffer.dense(batch.indices[p], j) = batch.values[p];
    }
  }
  return Batch<Scalar>::dense(buffer.dense);
}

template <class Scalar>
Batch<Scalar> copied(const SparseColumns<Scalar>& batch, SparseMatrix<Scalar>& out) {
  const Index first = batch.starts[0];
  if (batch.starts != out.starts.data()) {  // else the batch lives there already
    const Index last = batch.starts[batch.cols];
    out.rows = batch.rows;
    out.indices.assign(batch.indices + first, batch.indices + last);
    out.values.assign(batch.values + first, batch.values + last);
    out.starts.resize(static_cast<std::size_t>(batch.cols) + 1);
    for (Index j = 0; j <= batch.cols; ++j) out.starts[j] = batch.starts[j] - first;
  }
  return Batch<Scalar>::sparse(out);
}

/// The batch in the buffer, where it may be changed; it may be there already.
template <class Scalar>
Batch<Scalar> copied(const Batch<Scalar>& batch, Matrix<Scalar>& out) {
  const std::less_equal<const Scalar*> ordered;
  const bool inside =
      ordered(out.data(), batch.sample(0)) && ordered(batch.sample(0) + 1, out.data() + out.size());
  if (inside) return batch;
  out = batch.matrix();
  return Batch<Scalar>::dense(out);
}

template <class Scalar>
Batch<Scalar> centred_and_scaled(const Batch<Scalar>& batch,
                                 const PreprocessOptions& options,
                                 SampleBuffer<Scalar>& buffer) {
  if (batch.samples() == 0 || options == PreprocessOptions{}) return batch;
  if (batch.is_sparse() && !options.center) {
    const Batch<Scalar> out = copied(batch.columns(), buffer.sparse);
    for (Index j = 0; j < out.samples(); ++j) {
      scale(buffer.sparse.values.data() + buffer.sparse.starts[j],
            out.columns().nonzeros(j),
            options);
    }
    return out;
  }
  const Batch<Scalar> out =
      batch.is_sparse() ? densified(batch.columns(), buffer) : copied(batch, buffer.dense);
  for (Index j = 0; j < out.samples(); ++j) {
    Scalar* sample = buffer.dense.data() + (out.sample(j) - buffer.dense.data());
    if (options.center) center(sample, out.dimension());
    scale(sample, out.dimension(), options);
  }
  return out;
}

}  // namespace

template <class Scalar>
double largest_usable(const PreprocessOptions& options) {
  constexpr double kLargestStored = std::numeric_limits<Scalar>::max();
  // A mean of them is finite, and what is subtracted from one is at most as large as it.
  constexpr double kLargestCentred = std::min(1e290, kLargestStored / 2);
  const double before = options.center ? kLargestCentred : kLargestStored;
  if (options.scale_to_unit) return before;
  const double after = std::min(kLargestStored, kLargestNumber) / (options.center ? 2 : 1);
  return std::min(before, after / std::abs(options.scale));
}
template double largest_usable<double>(const PreprocessOptions&);
template double largest_usable<float>(const PreprocessOptions&);

template <class Scalar>
Batch<Scalar> preprocess(const Batch<Scalar>& batch,
                         const PreprocessOptions& options,
                         SampleBuffer<Scalar>& buffer) {
  const Batch<Scalar> processed = centred_and_scaled(batch, options, buffer);
  require_squarable(processed);
  return processed;
}
template Batch<double> preprocess(const Batch<double>&,
                                  const PreprocessOptions&,
                                  SampleBuffer<double>&);
template Batch<float> preprocess(const Batch<float>&,
                                 const PreprocessOptions&,
                                 SampleBuffer<float>&);

}  // namespace nodl::io
