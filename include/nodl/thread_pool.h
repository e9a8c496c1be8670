// Threads that share out numbered pieces of work. Which thread takes a piece never changes a
// result: a piece writes to its own place, and sums over pieces are made in the order of their
// numbers.
#pragma once

#include <functional>
#include <memory>

#include "nodl/types.h"

namespace nodl {

class ThreadPool {
 public:
  using Work = std::function<void(Index piece, int worker)>;

  explicit ThreadPool(int threads = 1);  // 0: as many as the machine has cores
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  /// Calls work(piece, worker) once for every piece in [0, pieces); worker in [0, threads()).
  /// Returns when all are done; the first exception of a piece is thrown again here. Each worker
  /// begins with pieces of its own, so that what it made in one stage it has at hand in the next,
  /// and then helps the others: here with pieces that follow each other,
  void run(Index pieces, const Work& work);
  /// here with every threads()-th, or `group` at a time, like cards: where the first ones are the
  /// longest.
  void run_dealt(Index pieces, const Work& work, Index group = 1);
  /// The same without shares: pieces are taken in the order of their numbers, so that one may wait
  /// for those before it.
  void run_in_order(Index pieces, const Work& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nodl
