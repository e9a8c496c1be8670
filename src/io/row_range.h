// Which samples of an input are read.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// Sample numbers (from 0) of a RowRange, one after the other.
class RowSelector {
 public:
  /// `total`: samples of the input, if known; throws InvalidOptions where the range needs it.
  RowSelector(const RowRange& range, std::optional<Index> total, const std::string& path);

  bool done() const { return next_ >= stop_; }
  Index current() const { return next_; }
  Index step() const { return step_; }
  void advance(Index count = 1);
  /// Samples that are still to come; only with a known total.
  Index remaining() const { return done() ? 0 : (stop_ - next_ - 1) / step_ + 1; }

 private:
  Index next_ = 0;
  Index stop_ = std::numeric_limits<Index>::max();
  Index step_ = 1;
};

}  // namespace nodl::io
