#include "nodl/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nodl/error.h"

namespace nodl {

namespace {

// About 0.2 to 0.4 ms, by the processor: the corrections inside a panel of a dense update, which
// one thread makes, take a tenth of that or more.
constexpr int kSpins = 8000;

// Waits a little for what usually comes at once: stages of a batch follow each other within
// microseconds, and waking a sleeping thread takes tens of them.
template <class Ready>
bool spin_until(const Ready& ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;               // taken only to sleep, to wake a sleeper, or to report a failure:
  std::condition_variable start;  // two threads that meet at it lose microseconds each time
  std::condition_variable done;
  std::atomic<int> sleeping_workers{0};
  std::atomic<bool> caller_sleeps{false};
  struct alignas(128) Share {  // of the pieces of a job; nobody else's in its cache lines
    std::atomic<Index> next{0};
    Index past = 0, step = 1;
  };
  std::unique_ptr<Share[]> shares;  // one for each thread, the caller's first
  int threads = 1;
  const Work* work = nullptr;
  std::atomic<int> busy{0};           // workers still inside the current job
  std::atomic<std::uint64_t> job{0};  // number of the current job
  std::atomic<bool> stop{false};
  std::exception_ptr failure;

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

  // Takes pieces until none is left, its own first; after a failure the rest is skipped.
  void take_pieces(int worker) {
    for (int other = 0; other < threads; ++other) {
      Share& share = shares[(worker + other) % threads];
      for (Index piece = share.next.fetch_add(share.step); piece < share.past;
           piece = share.next.fetch_add(share.step)) {
        try {
          (*work)(piece, worker);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
          for (int t = 0; t < threads; ++t) shares[t].next = shares[t].past;
        }
      }
    }
  }

  void run(Index pieces, bool dealt, const Work& todo) {
    if (pieces <= 0) return;
    if (workers.empty() || pieces == 1) {
      for (Index piece = 0; piece < pieces; ++piece) todo(piece, 0);
      return;
    }
    for (int t = 0; t < threads; ++t) {
      shares[t].next = dealt ? t : pieces * t / threads;
      shares[t].past = dealt ? pieces : pieces * (t + 1) / threads;
      shares[t].step = dealt ? threads : 1;
    }
    work = &todo;
    failure = nullptr;
    busy = static_cast<int>(workers.size());
    ++job;
    wake_workers();
    take_pieces(0);
    const auto finished = [&] { return busy == 0; };
    if (!spin_until(finished)) {
      std::unique_lock lock(mutex);
      caller_sleeps = true;
      done.wait(lock, finished);
      caller_sleeps = false;
    }
    if (failure) std::rethrow_exception(failure);
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
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
      take_pieces(worker);
      if (--busy == 0) wake_caller();
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

void ThreadPool::run(Index pieces, const Work& work) { state_->run(pieces, false, work); }

void ThreadPool::run_dealt(Index pieces, const Work& work) { state_->run(pieces, true, work); }

}  // namespace nodl
