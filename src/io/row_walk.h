// What readers of one-sample-after-the-other formats have in common: the range of rows, bad rows,
// and interruptions.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "io/bad_row_error.h"
#include "io/row_range.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// `Source` has samples() and skip(count).
template <class Source>
class RowWalk {
 public:
  RowWalk(Source& source, const std::string& path, const ReadOptions& options)
      : source_(source),
        rows_(options.rows, source.samples(), path),
        bad_rows_(options.bad_rows),
        samples_(source.samples() && !bad_rows_ ? std::optional(rows_.remaining()) : std::nullopt) {
  }

  std::optional<Index> samples() const { return samples_; }
  bool tells_bad_rows() const { return bad_rows_ != nullptr; }
  Index position() const { return position_; }  // samples of the file that were passed

  /// Calls read_sample(n) for the next samples of the range, n = 0, 1, ..., until `count` were good
  /// or it returns false: there is none. Returns how many were good.
  template <class ReadSample>
  Index read(Index count, ReadSample&& read_sample) {
    if (bad_rows_) bad_rows_->begin();
    Index good = 0;
    try {
      while (good < count && to_next()) {
        try {
          if (!read_sample(good)) {
            ended_ = true;
            break;
          }
          ++good;
        } catch (const BadRowError& error) {
          if (!bad_rows_) throw;
          bad_rows_->add(error.row);
        }
        ++position_;
        rows_.advance();
      }
    } catch (const Interrupted&) {
      ended_ = true;
    }
    return good;
  }

  /// Without looking at the samples.
  Index skip(Index count) {
    count = std::min(count, ended_ ? 0 : rows_.remaining());
    if (count <= 0) return 0;
    const Index wanted = rows_.current() + (count - 1) * rows_.step() + 1 - position_;
    Index passed = 0;
    try {
      passed = source_.skip(wanted);
    } catch (const Interrupted&) {
      ended_ = true;
    }
    position_ += passed;
    if (passed < wanted) {
      ended_ = true;
      count =
          position_ <= rows_.current() ? 0 : (position_ - rows_.current() - 1) / rows_.step() + 1;
    }
    rows_.advance(count);
    return count;
  }

 private:
  /// To just before the next sample of the range; false if there is none.
  bool to_next() {
    if (ended_ || rows_.done()) return false;
    const Index gap = rows_.current() - position_;
    const Index passed = gap > 0 ? source_.skip(gap) : 0;
    position_ += passed;
    ended_ = passed < gap;
    return !ended_;
  }

  Source& source_;
  RowSelector rows_;
  std::shared_ptr<BadRows> bad_rows_;
  std::optional<Index> samples_;
  Index position_ = 0;
  bool ended_ = false;
};

}  // namespace nodl::io
