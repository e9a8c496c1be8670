#include "io/entry_sorter.h"

#include <algorithm>
#include <queue>

namespace nodl::io {
namespace {

constexpr std::size_t kFanIn = 64;
constexpr std::size_t kFewestEntries = 16;  // in a buffer, however little memory there is

bool before(const PlacedEntry& a, const PlacedEntry& b) { return a.sample < b.sample; }

class SortedSource : public SparseSource {
 public:
  SortedSource(std::unique_ptr<EntrySorter> sorter, Index dimension, Index samples, bool transpose)
      : sorter_(std::move(sorter)),
        dimension_(dimension),
        samples_(samples),
        transpose_(transpose) {}

  Index dimension() const override { return dimension_; }
  std::optional<Index> samples() const override { return samples_; }
  bool next(SampleEntries& out) override {
    if (given_ == samples_) return false;
    for (; sorter_->front() != nullptr && sorter_->front()->sample == given_; sorter_->pop()) {
      out.push(sorter_->front()->entry.row, sorter_->front()->entry.value);
    }
    ++given_;
    return true;
  }
  Index skip(Index count) override {
    const Index skipped = std::min(count, samples_ - given_);
    given_ += skipped;
    while (sorter_->front() != nullptr && sorter_->front()->sample < given_) sorter_->pop();
    return skipped;
  }
  Position position(Index coordinate) const override {
    return transpose_ ? Position{coordinate + 1, given_} : Position{given_, coordinate + 1};
  }

 private:
  std::unique_ptr<EntrySorter> sorter_;
  Index dimension_;
  Index samples_;
  bool transpose_;
  Index given_ = 0;
};

}  // namespace

/// Gives the entries of several runs in their common order; of equal samples, first those of the
/// earlier run.
class EntrySorter::Merger {
 public:
  Merger(std::vector<Run> runs, std::size_t entries_in_memory) {
    const std::size_t share = std::max(kFewestEntries, entries_in_memory / runs.size());
    for (Run& run : runs) {
      cursors_.push_back({std::move(run), {}, 0, 0});
      cursors_.back().block.reserve(share);
      advance(cursors_.size() - 1, share);
    }
    share_ = share;
  }

  const PlacedEntry* front() const {
    return heap_.empty() ? nullptr : &cursors_[heap_.top().cursor].current();
  }
  void pop() {
    const std::size_t cursor = heap_.top().cursor;
    heap_.pop();
    ++cursors_[cursor].next;
    advance(cursor, share_);
  }

 private:
  struct Cursor {
    Run run;
    std::vector<PlacedEntry> block;
    std::size_t next;  // within the block
    std::size_t read;  // bytes of the run
    const PlacedEntry& current() const { return block[next]; }
  };
  struct Head {
    Index sample;
    std::size_t cursor;
    bool operator<(const Head& other) const {  // the top of the heap is the largest
      return sample != other.sample ? sample > other.sample : cursor > other.cursor;
    }
  };

  void advance(std::size_t index, std::size_t share) {
    Cursor& cursor = cursors_[index];
    if (cursor.next == cursor.block.size()) {
      const std::size_t left = (cursor.run.file.size() - cursor.read) / sizeof(PlacedEntry);
      cursor.block.resize(std::min(share, left));
      cursor.next = 0;
      const std::size_t bytes = cursor.block.size() * sizeof(PlacedEntry);
      cursor.run.file.read(cursor.read, cursor.block.data(), bytes);
      cursor.read += bytes;
    }
    if (!cursor.block.empty()) heap_.push({cursor.current().sample, index});
  }

  std::vector<Cursor> cursors_;
  std::priority_queue<Head> heap_;
  std::size_t share_ = 0;
};

EntrySorter::EntrySorter(std::size_t memory)
    : capacity_(std::max(kFewestEntries, memory / sizeof(PlacedEntry))) {}
EntrySorter::~EntrySorter() = default;

void EntrySorter::push(Index sample, RowIndex row, double value) {
  if (buffer_.size() == capacity_) spill();
  // Not by doubling, which would hold up to three times the memory while it copies.
  if (buffer_.size() == buffer_.capacity()) {
    buffer_.reserve(buffer_.size() < capacity_ / 8 ? std::max<std::size_t>(16, 2 * buffer_.size())
                                                   : capacity_);
  }
  buffer_.push_back({sample, {row, value}});
}

void EntrySorter::sort_buffer() {
  if (!std::is_sorted(buffer_.begin(), buffer_.end(), before)) {
    std::stable_sort(buffer_.begin(), buffer_.end(), before);
  }
}

void EntrySorter::spill() {
  sort_buffer();
  Run run;
  run.file.append(buffer_.data(), buffer_.size() * sizeof(PlacedEntry));
  buffer_.clear();
  runs_.push_back(std::move(run));
  merge_last_runs();
}

/// Runs of one level are neighbours: merging the last ones keeps the order of what was pushed.
void EntrySorter::merge_last_runs() {
  while (runs_.size() >= kFanIn && runs_[runs_.size() - kFanIn].level == runs_.back().level) {
    std::vector<Run> last(std::make_move_iterator(runs_.end() - kFanIn),
                          std::make_move_iterator(runs_.end()));
    runs_.resize(runs_.size() - kFanIn);
    Run merged;
    merged.level = last.front().level + 1;
    std::vector<PlacedEntry>().swap(buffer_);
    Merger merger(std::move(last), capacity_ / 2);
    const std::size_t block = std::max(kFewestEntries, capacity_ / 2);
    buffer_.reserve(block);
    while (merger.front() != nullptr) {
      buffer_.push_back(*merger.front());
      merger.pop();
      if (buffer_.size() == block || merger.front() == nullptr) {
        merged.file.append(buffer_.data(), buffer_.size() * sizeof(PlacedEntry));
        buffer_.clear();
      }
    }
    runs_.push_back(std::move(merged));
  }
}

void EntrySorter::sort() {
  if (runs_.empty()) {
    sort_buffer();
    return;
  }
  if (!buffer_.empty()) spill();
  std::vector<PlacedEntry>().swap(buffer_);
  merger_ = std::make_unique<Merger>(std::move(runs_), capacity_);
}

const PlacedEntry* EntrySorter::front() const {
  if (merger_) return merger_->front();
  return given_ < buffer_.size() ? &buffer_[given_] : nullptr;
}

void EntrySorter::pop() {
  if (merger_) {
    merger_->pop();
  } else {
    ++given_;
  }
}

std::unique_ptr<SparseSource> make_sorted_source(std::unique_ptr<EntrySorter> sorter,
                                                 Index dimension,
                                                 Index samples,
                                                 bool transpose) {
  return std::make_unique<SortedSource>(std::move(sorter), dimension, samples, transpose);
}

}  // namespace nodl::io
