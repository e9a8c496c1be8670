// Runs: the same results whatever the threads, and a cache that can be trusted.
#include "studies/run_all.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace nodl::study {
namespace {

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("nodl_study_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<PlannedRun> few_runs() {
  std::vector<PlannedRun> runs = plan(choose(all_studies(true), {"16"}), {"paper", "released"}, 1);
  std::erase_if(runs, [](const PlannedRun& run) { return run.value > 25; });
  return runs;
}

TEST(RunAll, ResultsDoNotDependOnThreadsAndAreFoundAgain) {
  const Folder one, two;
  const DataFolder data("nowhere");
  const std::vector<PlannedRun> runs = few_runs();
  const RunCache first(one.path() / "first"), second(one.path() / "second");
  StudyProgress last;
  const auto watch = [&](const StudyProgress& progress) { last = progress; };
  const auto a = run_all(runs, data, first, 1, watch);
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(last.found, 0U);
  const auto b = run_all(runs, data, second, 3, watch);
  const auto c = run_all(runs, data, first, 2, watch);
  EXPECT_EQ(last.found, last.total);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [key, result] : a) {
    for (const auto& [name, number] : result.numbers) {
      if (name == "cpu_seconds") continue;
      EXPECT_EQ(number, b.at(key).numbers.at(name)) << name;
      EXPECT_EQ(number, c.at(key).numbers.at(name)) << name;  // through JSON and back
    }
  }
}

TEST(RunAll, HalfAFileIsRunAgain) {
  const Folder folder;
  const DataFolder data("nowhere");
  std::vector<PlannedRun> runs = few_runs();
  runs.resize(1);
  const RunCache cache(folder.path());
  StudyProgress last;
  const auto watch = [&](const StudyProgress& progress) { last = progress; };
  run_all(runs, data, cache, 1, watch);
  const std::filesystem::path file = folder.path() / (runs[0].key(data) + ".json");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_FALSE(cache.find(runs[0].key(data)));
  run_all(runs, data, cache, 1, watch);
  EXPECT_EQ(last.found, 0U);
  EXPECT_TRUE(cache.find(runs[0].key(data)));
}

}  // namespace
}  // namespace nodl::study
