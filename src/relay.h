// Pieces of work that wait for those before them.
#pragma once

#include <atomic>
#include <limits>
#include <thread>

#include "nodl/types.h"
#include "spin.h"

namespace nodl {

/// How many of the pieces of ThreadPool::run_in_order have handed over to the next. A piece waits
/// only for earlier ones, which somebody has taken before: nobody waits for ever.
class Relay {
 public:
  /// Returns when pieces 0, ..., count - 1 have handed over.
  void await(Index count) const {
    while (!spin_until([&] { return done_ >= count; })) std::this_thread::yield();
  }
  /// Piece count - 1 hands over.
  void hand_over(Index count) { done_ = count; }
  /// A piece has failed: lets all others through, to their end.
  void give_up() { done_ = std::numeric_limits<Index>::max(); }

 private:
  alignas(128) std::atomic<Index> done_{0};
};

}  // namespace nodl
