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
  const std::function<void(Index, int)>* work = nullptr;
  Index pieces = 0;
  std::atomic<Index> next{0};
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

  // Takes pieces until none is left; after a failure the rest is skipped.
  void take_pieces(int worker) {
    for (Index piece = next.fetch_add(1); piece < pieces; piece = next.fetch_add(1)) {
      try {
        (*work)(piece, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(pieces);
      }
    }
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
  for (int worker = 1; worker < threads; ++worker) {
    try {
      state_->workers.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    } catch (const std::system_error& error) {
      throw ResourceError(std::string("threads cannot be started: ") + error.what());
    }
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(Index pieces, const std::function<void(Index, int)>& work) {
  if (pieces <= 0) return;
  State& state = *state_;
  if (state.workers.empty() || pieces == 1) {
    for (Index piece = 0; piece < pieces; ++piece) work(piece, 0);
    return;
  }
  state.work = &work;
  state.pieces = pieces;
  state.next = 0;
  state.failure = nullptr;
  state.busy = static_cast<int>(state.workers.size());
  ++state.job;
  state.wake_workers();
  state.take_pieces(0);
  const auto finished = [&] { return state.busy == 0; };
  if (!spin_until(finished)) {
    std::unique_lock lock(state.mutex);
    state.caller_sleeps = true;
    state.done.wait(lock, finished);
    state.caller_sleeps = false;
  }
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace nodl
