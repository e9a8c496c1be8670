#include "io/dense_reader.h"

#include <algorithm>

#include "io/number.h"
#include "io/row_range.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

class LoadedSource : public DenseSource {
 public:
  explicit LoadedSource(LoadedMatrix matrix) : matrix_(std::move(matrix)) {}

  Index dimension() const override { return matrix_.dimension; }
  std::optional<Index> samples() const override { return matrix_.samples; }
  bool next(double* sample) override {
    if (!skip()) return false;
    const double* from = matrix_.values.data() + (given_ - 1) * matrix_.sample_stride;
    for (Index f = 0; f < matrix_.dimension; ++f) sample[f] = from[f * matrix_.coordinate_stride];
    return true;
  }
  bool skip() override {
    if (given_ == matrix_.samples) return false;
    ++given_;
    return true;
  }
  Position position(Index coordinate) const override {
    if (matrix_.transposed) return {coordinate + matrix_.first_row, given_};
    return {given_ - 1 + matrix_.first_row, coordinate + 1};
  }

 private:
  LoadedMatrix matrix_;
  Index given_ = 0;
};

class DenseReader : public TypedReader<DenseReader> {
 public:
  DenseReader(std::unique_ptr<DenseSource> source, const std::string& path, const RowRange& rows)
      : source_(std::move(source)), path_(path), rows_(rows, source_->samples(), path) {
    if (source_->samples()) samples_ = rows_.remaining();
  }

  Index dimension() const override { return source_->dimension(); }
  bool is_sparse() const override { return false; }
  std::optional<Index> samples() const override { return samples_; }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    // The buffer grows with what is there, not with what was asked for.
    const Index first_samples = std::max<Index>(1, (Index{1} << 21) / dimension());
    Index read = 0;
    if (buffer.dense.rows() != dimension()) buffer.dense.resize(dimension(), 0);
    while (read < count && advance()) {
      if (read == buffer.dense.cols()) {
        buffer.dense.conservativeResize(dimension(),
                                        std::min(count, std::max(first_samples, 2 * read)));
      }
      if (!next(buffer.dense.col(read).data())) break;
      ++read;
    }
    return Batch<Scalar>::dense(buffer.dense.data(), dimension(), read, dimension());
  }

 private:
  /// To just before the next sample of the range; false if there is none.
  bool advance() {
    if (rows_.done()) return false;
    for (; position_ < rows_.current(); ++position_) {
      if (!source_->skip()) return false;
    }
    return true;
  }

  bool next(double* sample) {
    if (!source_->next(sample)) return false;
    ++position_;
    rows_.advance();
    return true;
  }
  bool next(float* sample) {
    sample_.resize(static_cast<std::size_t>(dimension()));
    if (!next(sample_.data())) return false;
    for (Index f = 0; f < dimension(); ++f) {
      const double value = sample_[static_cast<std::size_t>(f)];
      if (!fits<float>(value)) refuse_number<float>(path_, source_->position(f), value);
      sample[f] = static_cast<float>(value);
    }
    return true;
  }

  std::unique_ptr<DenseSource> source_;
  std::string path_;
  RowSelector rows_;
  std::optional<Index> samples_;
  Index position_ = 0;  // samples of the file given or skipped
  std::vector<double> sample_;
};

}  // namespace

std::unique_ptr<DenseSource> make_source(LoadedMatrix matrix) {
  return std::make_unique<LoadedSource>(std::move(matrix));
}

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<DenseSource> source,
                                          const std::string& path,
                                          const RowRange& rows) {
  return std::make_unique<DenseReader>(std::move(source), path, rows);
}

}  // namespace nodl::io
