// Pieces of work that wait for those before them.
#pragma once

#include <atomic>
#include <limits>
#include <thread>

#include "nodl/types.h"
#include "spin.h"

namespace nodl {

/// How many pieces that are taken in their order have handed over to the next. A piece waits only
/// for earlier ones, which somebody has taken before: nobody waits for ever.
class Relay {
 public:
  /// Returns when pieces 0, ..., count - 1 have handed over; false if one has failed.
  [[nodiscard]] bool await(Index count) const {
    while (!spin_until([&] { return done_ >= count; })) std::this_thread::yield();
    return done_ != kFailed;
  }
  /// Piece count - 1 hands over, unless one has failed meanwhile.
  void hand_over(Index count) {
    Index before = count - 1;
    done_.compare_exchange_strong(before, count);
  }
  /// A piece has failed: nobody need wait any more, or go on.
  void give_up() { done_ = kFailed; }

 private:
  static constexpr Index kFailed = std::numeric_limits<Index>::max();
  alignas(128) std::atomic<Index> done_{0};
};

}  // namespace nodl
