// The demo's stream, and what becomes of the learners that read it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nodl/learner.h"
#include "nodl/synthetic.h"
#include "stopwatch.h"

namespace nodl::cli {

constexpr std::size_t kDemoDomains = 3;
constexpr std::array<const char*, kDemoDomains> kDemoDomainNames = {"first", "second", "third"};

struct DemoPhase {
  std::size_t domain;
  Index batches;
  const char* label;
};
constexpr std::array<DemoPhase, 4> kDemoPhases = {
    {{0, 40, "first"}, {1, 10, "second"}, {0, 10, "first again"}, {2, 10, "third"}}};
constexpr Index kDemoBatchSize = 50;
constexpr Index kDemoTestSamples = 50;  // of each domain, never learned from
constexpr Index kDemoMostAtoms = 250;   // what nodl may grow to, and what odl has from the start

Index demo_batches();
SyntheticOptions demo_stream_options(std::uint64_t seed);

/// One learner and what becomes of it.
struct DemoRun {
  std::string name;
  std::string note;
  std::unique_ptr<Learner<double>> learner;
  Seconds seconds;                                        // of learning alone
  std::array<std::vector<double>, kDemoDomains> pearson;  // of test samples, after each batch
  std::vector<double> atoms;                              // after each batch
  std::vector<double> born;                               // in each batch
  std::vector<double> died;

  double births() const;
  double deaths() const;
  const Dictionary<double>& dictionary() const { return learner->model().dictionary; }
  const Options& options() const { return learner->model().options; }
};

struct DemoRuns {
  DemoRun odl;
  DemoRun nodl;
  std::vector<DemoRun> others;  // fixed size too; tested at the end only

  std::vector<const DemoRun*> all() const;
};

/// What goes on while the learners run.
struct DemoWatcher {
  std::function<void(Index batch, const DemoPhase&, const DemoRun& odl, const DemoRun& nodl)> pair;
  std::function<void(Index batch, const DemoRun&)> other;
};

DemoRuns run_demo(std::uint64_t seed, const DemoWatcher& watcher);

}  // namespace nodl::cli
