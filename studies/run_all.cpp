#include "run_all.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

namespace nodl::study {
namespace {

struct Job {
  const PlannedRun* run;
  std::string key;
  double cost;
};

class Workshop {
 public:
  Workshop(const DataFolder& data,
           const RunCache& cache,
           const std::function<void(const StudyProgress&)>& watch)
      : data_(data), cache_(cache), watch_(watch) {}

  void add(const PlannedRun& run) {
    const std::string key = run.key(data_);
    if (results_.contains(key)) return;  // another study has the same run
    ++progress_.total;
    if (auto found = cache_.find(key)) {
      results_[key] = std::move(*found);
      ++progress_.found;
      ++progress_.done;
    } else {
      results_[key] = {};
      jobs_.push_back({&run, key, run.cost(data_)});
      cost_left_ += jobs_.back().cost;
    }
  }

  std::map<std::string, RunResult> work(int threads) {
    // Long runs first, so that no core waits for one at the end.
    std::stable_sort(
        jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.cost > b.cost; });
    start_ = Clock::now();
    watch_(progress_);
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back([this] { take_jobs(); });
    for (std::thread& worker : workers) worker.join();
    if (trouble_) std::rethrow_exception(trouble_);
    return std::move(results_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void take_jobs() {
    while (true) {
      const std::size_t number = next_++;
      if (number >= jobs_.size() || stop_) return;
      try {
        const Job& job = jobs_[number];
        RunResult result = execute(*job.run, data_);
        cache_.store(job.key, job.run->document(data_), result);
        finish(job, std::move(result));
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!trouble_) trouble_ = std::current_exception();
        stop_ = true;
      }
    }
  }

  void finish(const Job& job, RunResult result) {
    const std::scoped_lock lock(mutex_);
    results_[job.key] = std::move(result);
    ++progress_.done;
    cost_left_ -= job.cost;
    cost_done_ += job.cost;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    progress_.seconds_left = std::max(0.0, seconds * cost_left_ / cost_done_);
    progress_.current = job.run->label;
    watch_(progress_);
  }

  const DataFolder& data_;
  const RunCache& cache_;
  const std::function<void(const StudyProgress&)>& watch_;
  std::vector<Job> jobs_;
  std::map<std::string, RunResult> results_;
  StudyProgress progress_;
  double cost_left_ = 0;
  double cost_done_ = 0;
  Clock::time_point start_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::exception_ptr trouble_;
};

}  // namespace

std::map<std::string, RunResult> run_all(const std::vector<PlannedRun>& runs,
                                         const DataFolder& data,
                                         const RunCache& cache,
                                         int threads,
                                         const std::function<void(const StudyProgress&)>& watch) {
  Workshop workshop(data, cache, watch);
  for (const PlannedRun& run : runs) workshop.add(run);
  return workshop.work(threads);
}

}  // namespace nodl::study
