#include "io/sparse_reader.h"

#include <algorithm>

#include "io/number.h"
#include "io/row_walk.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

class SparseReader : public TypedReader<SparseReader> {
 public:
  SparseReader(std::unique_ptr<SparseSource> source,
               const std::string& path,
               const ReadOptions& options)
      : source_(std::move(source)),
        path_(path),
        options_(options),
        walk_(*source_, path, options) {}

  Index dimension() const override { return source_->dimension(); }
  bool is_sparse() const override { return true; }
  std::optional<Index> samples() const override { return walk_.samples(); }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    SparseMatrix<Scalar>& out = buffer.sparse;
    out.clear();
    out.rows = dimension();
    walk_.read(count, [&](Index) { return next(out); });
    return Batch<Scalar>::sparse(out);
  }

  Index skip(Index count) override {
    if (!walk_.tells_bad_rows()) return walk_.skip(count);
    return walk_.read(count, [&](Index) {
      return options_.float32 ? check_next<float>() : check_next<double>();
    });
  }

 private:
  template <class Scalar>
  bool next(SparseMatrix<Scalar>& out) {
    if (!check_next<Scalar>()) return false;
    for (const SparseEntry& entry : entries_.merged()) {
      const auto value = static_cast<Scalar>(entry.value);
      if (value != 0) out.push(entry.row, value);
    }
    out.end_column();
    return true;
  }

  /// Reads a sample; false if there is none. Throws BadRowError.
  template <class Scalar>
  bool check_next() {
    entries_.clear();
    if (!source_->next(entries_)) return false;
    const double largest = largest_number<Scalar>(options_);
    for (const SparseEntry& entry : entries_.merged()) {
      if (fits(entry.value, largest)) continue;
      refuse_number(path_, walk_.position(), source_->position(entry.row), entry.value, largest);
    }
    return true;
  }

  std::unique_ptr<SparseSource> source_;
  std::string path_;
  ReadOptions options_;
  RowWalk<SparseSource> walk_;
  SampleEntries entries_;
};

}  // namespace

void SampleEntries::push(RowIndex row, double value) {
  if (entries_.size() >= merge_at_) {
    merged();
    merge_at_ = std::max(merge_at_, 2 * entries_.size());
  }
  entries_.push_back({row, value});
}

const std::vector<SparseEntry>& SampleEntries::merged() {
  const auto before = [](const SparseEntry& a, const SparseEntry& b) { return a.row < b.row; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::stable_sort(entries_.begin(), entries_.end(), before);
  }
  std::size_t places = 0;
  for (const SparseEntry& entry : entries_) {
    if (places > 0 && entries_[places - 1].row == entry.row) {
      entries_[places - 1].value += entry.value;
    } else {
      entries_[places++] = entry;
    }
  }
  entries_.resize(places);
  return entries_;
}

std::unique_ptr<SampleReader> make_reader(std::unique_ptr<SparseSource> source,
                                          const std::string& path,
                                          const ReadOptions& options) {
  return std::make_unique<SparseReader>(std::move(source), path, options);
}

}  // namespace nodl::io
