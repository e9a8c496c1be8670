#include "io/dense_reader.h"

#include <algorithm>
#include <vector>

#include "io/number.h"
#include "io/row_walk.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

class DenseReader : public TypedReader<DenseReader> {
 public:
  DenseReader(std::unique_ptr<DenseSource> source,
              const std::string& path,
              const ReadOptions& options)
      : source_(std::move(source)),
        path_(path),
        options_(options),
        walk_(*source_, path, options) {}

  Index dimension() const override { return source_->dimension(); }
  bool is_sparse() const override { return false; }
  std::optional<Index> samples() const override { return walk_.samples(); }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    if (buffer.dense.rows() != dimension()) buffer.dense.resize(dimension(), 0);
    const Index read = walk_.read(count, [&](Index good) {
      make_room(good, count, buffer.dense);
      return next(buffer.dense.col(good).data());
    });
    return Batch<Scalar>::dense(buffer.dense.data(), dimension(), read, dimension());
  }

  Index skip(Index count) override {
    if (!walk_.tells_bad_rows()) return walk_.skip(count);
    std::vector<double> sample(static_cast<std::size_t>(dimension()));
    std::vector<float> sample32(sample.size());
    return walk_.read(count, [&](Index) {
      return options_.float32 ? next(sample32.data()) : next(sample.data());
    });
  }

 private:
  /// The buffer grows with what is there, not with what was asked for.
  template <class Scalar>
  void make_room(Index samples, Index wanted, Matrix<Scalar>& buffer) const {
    if (samples < buffer.cols()) return;
    const Index first_samples = std::max<Index>(1, (Index{1} << 21) / dimension());
    buffer.conservativeResize(dimension(), std::min(wanted, std::max(first_samples, 2 * samples)));
  }

  bool next(double* sample) {
    if (!source_->next(sample)) return false;
    check<double>(sample);
    return true;
  }
  bool next(float* sample) {
    sample_.resize(static_cast<std::size_t>(dimension()));
    if (!source_->next(sample_.data())) return false;
    check<float>(sample_.data());
    std::transform(sample_.begin(), sample_.end(), sample, [](double value) {
      return static_cast<float>(value);
    });
    return true;
  }

  template <class Scalar>
  void check(const double* sample) const {
    const double largest = largest_number<Scalar>(options_);
    for (Index f = 0; f < dimension(); ++f) {
      if (fits(sample[f], largest)) continue;
      refuse_number(path_, walk_.position(), source_->position(f), sample[f], largest);
    }
  }

  std::unique_ptr<DenseSource> source_;
  std::string path_;
  ReadOptions options_;
  RowWalk<DenseSource> walk_;
  std::vector<double> sample_;
};

}  // namespace

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<DenseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options) {
  return std::make_unique<DenseReader>(std::move(source), path, options);
}

}  // namespace nodl::io
