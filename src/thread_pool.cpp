#include "nodl/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nodl/error.h"
#include "spin.h"

namespace nodl {

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;               // taken only to sleep, to wake a sleeper, or to report a failure:
  std::condition_variable start;  // two threads that meet at it lose microseconds each time
  std::condition_variable done;
  std::atomic<int> sleeping_workers{0};
  std::atomic<bool> caller_sleeps{false};
  struct alignas(128) Share {  // of the pieces of a job; nobody else's in its cache lines
    std::atomic<std::uint64_t> untaken{0};  // the job's number above, how many are left below
    // Of the job whose pieces are untaken or not done: `group` pieces that follow each other from
    // `first` on, as many `stride` further on, and so forth.
    Index count = 0, first = 0, group = 1, stride = 0;

    /// The next piece of that job; none if all are taken, or the pool has gone on to another job.
    std::optional<Index> take(std::uint32_t of_job) {
      std::uint64_t seen = untaken;
      while (seen >> 32 == of_job && left(seen) > 0) {
        if (!untaken.compare_exchange_weak(seen, seen - 1)) continue;
        const Index n = count - left(seen);
        return first + n / group * stride + n % group;
      }
      return std::nullopt;
    }
    /// All that are left, at once: how many.
    Index take_rest() { return left(untaken.exchange(0)); }
    void fill(std::uint32_t with_job) {
      untaken = std::uint64_t{with_job} << 32 | static_cast<std::uint64_t>(count);
    }
    static Index left(std::uint64_t word) { return static_cast<Index>(word & 0xffffffffU); }
  };
  std::unique_ptr<Share[]> shares;  // one for each thread, the caller's first
  int threads = 1;
  const Work* work = nullptr;
  std::exception_ptr failure;
  // What threads wait for has cache lines of its own: they look at it again and again.
  alignas(128) std::atomic<Index> undone{0};       // pieces of the current job
  alignas(128) std::atomic<std::uint32_t> job{0};  // number of the current job
  std::atomic<bool> stop{false};

  ~State() {
    stop = true;
    wake_workers();
    for (std::thread& worker : workers) worker.join();
  }

  // Who goes to sleep says so and then looks again; who has news tells them and then looks for
  // sleepers. All of these are sequentially consistent, so one of the two sees the other.
  void wake_workers() {
    if (sleeping_workers == 0) return;
    const std::lock_guard lock(mutex);
    start.notify_all();
  }
  void wake_caller() {
    if (!caller_sleeps) return;
    const std::lock_guard lock(mutex);
    done.notify_one();
  }

  // Takes pieces until none is left, its own first; after a failure the rest is skipped. A job ends
  // when its pieces are done, not when all workers have come: one that the system holds up delays
  // the others only by the piece that it has taken, and what it meets later it leaves alone.
  void take_pieces(int worker, std::uint32_t of_job) {
    Index taken = 0;
    for (int other = 0; other < threads; ++other) {
      Share& share = shares[(worker + other) % threads];
      while (const std::optional<Index> piece = share.take(of_job)) {
        ++taken;
        try {
          (*work)(*piece, worker);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
          for (int t = 0; t < threads; ++t) taken += shares[t].take_rest();
        }
      }
    }
    if (taken > 0 && (undone -= taken) == 0) wake_caller();
  }

  /// `deal(thread, share)` says which pieces are whose.
  template <class Deal>
  void run(Index pieces, const Work& todo, const Deal& deal) {
    if (pieces <= 0) return;
    if (workers.empty() || pieces == 1) {
      for (Index piece = 0; piece < pieces; ++piece) todo(piece, 0);
      return;
    }
    const std::uint32_t number = job + 1;
    work = &todo;
    failure = nullptr;
    undone = pieces;
    for (int t = 0; t < threads; ++t) {
      deal(t, shares[t]);
      shares[t].fill(number);
    }
    job = number;
    wake_workers();
    take_pieces(0, number);
    const auto finished = [&] { return undone == 0; };
    if (!spin_until(finished)) {
      std::unique_lock lock(mutex);
      caller_sleeps = true;
      done.wait(lock, finished);
      caller_sleeps = false;
    }
    if (failure) std::rethrow_exception(failure);
  }

  void serve(int worker) {
    std::uint32_t seen = 0;
    const auto called = [&] { return stop || job != seen; };
    while (true) {
      if (!spin_until(called)) {
        std::unique_lock lock(mutex);
        ++sleeping_workers;
        start.wait(lock, called);
        --sleeping_workers;
      }
      if (stop) return;
      seen = job;
      take_pieces(worker, seen);
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  state_->threads = threads;
  state_->shares = std::make_unique<State::Share[]>(threads);
  for (int worker = 1; worker < threads; ++worker) {
    try {
      state_->workers.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    } catch (const std::system_error& error) {
      throw ResourceError(std::string("threads cannot be started: ") + error.what());
    }
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::run(Index pieces, const Work& work) {
  const Index threads = state_->threads;
  state_->run(pieces, work, [&](Index t, State::Share& share) {
    share.first = pieces * t / threads;
    share.count = share.group = pieces * (t + 1) / threads - share.first;
  });
}

void ThreadPool::run_dealt(Index pieces, const Work& work, Index group) {
  const Index threads = state_->threads;
  state_->run(pieces, work, [&](Index t, State::Share& share) {
    const Index rounds = pieces / (group * threads), rest = pieces % (group * threads);
    share.count = rounds * group + std::clamp<Index>(rest - t * group, 0, group);
    share.first = t * group;
    share.group = group;
    share.stride = threads * group;
  });
}

void ThreadPool::run_in_order(Index pieces, const Work& work) {
  state_->run(pieces, work, [&](Index t, State::Share& share) {
    share.first = 0;
    share.count = share.group = t == 0 ? pieces : 0;
  });
}

}  // namespace nodl
