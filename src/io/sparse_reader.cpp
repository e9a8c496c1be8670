#include "io/sparse_reader.h"

#include <algorithm>

#include "io/failure.h"
#include "io/number.h"
#include "io/row_range.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

class LoadedSource : public SparseSource {
 public:
  LoadedSource(std::vector<PlacedEntry> entries, Index dimension, Index samples)
      : entries_(std::move(entries)), dimension_(dimension), samples_(samples) {
    // Stable: entries of one place are added in the order of the file.
    const auto before = [](const PlacedEntry& a, const PlacedEntry& b) {
      return a.sample < b.sample;
    };
    if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
      std::stable_sort(entries_.begin(), entries_.end(), before);
    }
  }

  Index dimension() const override { return dimension_; }
  Index samples() const override { return samples_; }
  void entries(Index sample, std::vector<SparseEntry>& out) override {
    while (next_ < entries_.size() && entries_[next_].sample < sample) ++next_;
    for (; next_ < entries_.size() && entries_[next_].sample == sample; ++next_) {
      out.push_back(entries_[next_].entry);
    }
  }

 private:
  std::vector<PlacedEntry> entries_;
  Index dimension_;
  Index samples_;
  std::size_t next_ = 0;
};

class SparseReader : public TypedReader<SparseReader> {
 public:
  SparseReader(std::unique_ptr<SparseSource> source,
               const std::string& path,
               const ReadOptions& options)
      : source_(std::move(source)),
        path_(path),
        transpose_(options.transpose),
        rows_(options.rows, source_->samples(), path),
        samples_(rows_.remaining()) {}

  Index dimension() const override { return source_->dimension(); }
  bool is_sparse() const override { return true; }
  std::optional<Index> samples() const override { return samples_; }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    buffer.sparse.clear();
    buffer.sparse.rows = dimension();
    for (; count > 0 && !rows_.done(); --count, rows_.advance()) {
      entries_.clear();
      source_->entries(rows_.current(), entries_);
      push_sample(buffer.sparse);
    }
    return Batch<Scalar>::sparse(buffer.sparse);
  }

 private:
  template <class Scalar>
  void push_sample(SparseMatrix<Scalar>& out) {
    const auto before = [](const SparseEntry& a, const SparseEntry& b) { return a.row < b.row; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
      std::stable_sort(entries_.begin(), entries_.end(), before);
    }
    for (std::size_t i = 0; i < entries_.size();) {
      const RowIndex row = entries_[i].row;
      double sum = entries_[i].value;
      for (++i; i < entries_.size() && entries_[i].row == row; ++i) sum += entries_[i].value;
      if (!fits<Scalar>(sum)) {
        const Index sample = rows_.current() + 1;
        refuse_number<Scalar>(
            path_, transpose_ ? Position{row + 1, sample} : Position{sample, row + 1}, sum);
      }
      const auto value = static_cast<Scalar>(sum);
      if (value != 0) out.push(row, value);
    }
    out.end_column();
  }

  std::unique_ptr<SparseSource> source_;
  std::string path_;
  bool transpose_;
  RowSelector rows_;
  Index samples_;
  std::vector<SparseEntry> entries_;
};

}  // namespace

std::unique_ptr<SparseSource> make_source(std::vector<PlacedEntry> entries,
                                          Index dimension,
                                          Index samples) {
  return std::make_unique<LoadedSource>(std::move(entries), dimension, samples);
}

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<SparseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options) {
  return std::make_unique<SparseReader>(std::move(source), path, options);
}

}  // namespace nodl::io
