// nodl demo: a dictionary of fixed size and one that grows, on the same changing stream.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/nodl.h"
#include "nodl/synthetic.h"
#include "report_page.h"
#include "stopwatch.h"
#include "table.h"

namespace nodl::cli {
namespace {

struct DemoOptions {
  std::string output = "demo-output";
  std::uint64_t seed = 0;
  bool json = false;
};

// The stream: which domain each phase comes from, and how much of it.
constexpr Index kDomains = 3;
const std::vector<std::string> kDomainNames = {"first", "second", "third"};
struct Phase {
  Index domain;
  const char* label;
};
constexpr Phase kPhases[] = {{0, "first"}, {1, "second"}, {0, "first again"}, {2, "third"}};
constexpr Index kBatchesPerPhase = 20;
constexpr Index kBatchSize = 50;
constexpr Index kTestSamples = 100;  // of each domain, never learned from
constexpr Index kMostAtoms = 200;    // what nodl may grow to, and what odl has all the time

SyntheticOptions stream_options(std::uint64_t seed) {
  SyntheticOptions o;
  o.kind = SyntheticKind::Latent;
  o.seed = seed;
  o.dimension = 768;
  o.nonzeros = 50;
  o.domains = kDomains;
  return o;
}

/// Both runs: the defaults, and the same sizes. Only births and deaths tell them apart.
Options learner_options(Method method, std::uint64_t seed) {
  Options o = preset(Preset::Paper);
  apply_method(o, method);
  o.seed = seed;
  o.batch_size = kBatchSize;
  o.birth.max_atoms = kMostAtoms;
  o.atoms = method == Method::Odl ? kMostAtoms : 20;
  return o;
}

/// One learner and what became of it.
struct Run {
  std::string name;
  std::string note;
  Colour colour;
  Learner<double> learner;
  Seconds seconds{};                              // of learning alone
  std::vector<std::vector<double>> pearson = {};  // by domain, then by batch
  std::vector<double> atoms = {};                 // by batch, and so on
  std::vector<double> born = {};
  std::vector<double> died = {};

  double births() const { return std::accumulate(born.begin(), born.end(), 0.0); }
  double deaths() const { return std::accumulate(died.begin(), died.end(), 0.0); }
};

double held_out_pearson(Learner<double>& learner, const Matrix<double>& samples) {
  const Batch<double> batch = Batch<double>::dense(samples);
  const Model<double>& model = learner.model();
  const CodingDictionary<double> atoms(model.dictionary, model.options.coding.atom_norm);
  const Codes<double> codes = learner.encode(batch);
  const Scores scores = score(atoms, batch, codes, Correlations::Pearson, learner.pool());
  return std::accumulate(scores.pearson.begin(), scores.pearson.end(), 0.0) /
         static_cast<double>(scores.pearson.size());
}

/// What both runs know after each batch, drawn over and over in the same lines of a terminal.
class LiveView {
 public:
  LiveView() : on_(isatty(STDERR_FILENO) != 0) {}
  ~LiveView() { erase(); }

  void show(const std::vector<Run>& runs, Index batch, Index batches, const Phase& phase) {
    if (!on_) return;
    erase();
    std::string text =
        fmt::format("  batch {:>3}/{}   learning from: {}\n", batch, batches, phase.label);
    for (const Run& run : runs) {
      text += fmt::format("  {:<5}", run.name);
      for (Index d = 0; d < kDomains; ++d) {
        const double pearson = run.pearson[static_cast<std::size_t>(d)].back();
        text += fmt::format(
            " {:>6} {} {:.2f}", kDomainNames[static_cast<std::size_t>(d)], bar(pearson), pearson);
      }
      text += fmt::format("  {:>3.0f} atoms\n", run.atoms.back());
    }
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
    lines_ = 1 + static_cast<int>(runs.size());
  }

 private:
  static std::string bar(double share) {
    constexpr int kWidth = 10;
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth + 0.5);
    std::string text;
    for (int i = 0; i < kWidth; ++i) text += i < full ? "█" : "░";
    return text;
  }
  void erase() {
    if (lines_ > 0) fmt::print(stderr, "\x1b[{}A\x1b[J", lines_);
    lines_ = 0;
  }

  bool on_;
  int lines_ = 0;
};

std::vector<Run> run_all(const DemoOptions& options) {
  const SyntheticOptions stream = stream_options(options.seed);
  std::vector<Matrix<double>> test;
  for (Index d = 0; d < kDomains; ++d) {
    test.push_back(synthetic_samples(stream, d, Split::Test, 0, kTestSamples));
  }
  std::vector<Run> runs;
  for (const Method method : {Method::Odl, Method::Nodl}) {
    const bool fixed = method == Method::Odl;
    runs.push_back({std::string(name_of(method)),
                    fixed ? "fixed size" : "grows and shrinks",
                    fixed ? Colour::Orange : Colour::Blue,
                    Learner<double>(stream.dimension, learner_options(method, options.seed), 0)});
    runs.back().pearson.resize(kDomains);
  }

  LiveView view;
  Index seen[kDomains] = {};
  Index batch = 0;
  for (const Phase& phase : kPhases) {
    for (Index i = 0; i < kBatchesPerPhase; ++i) {
      Index& first = seen[phase.domain];  // the first domain comes back with new samples
      const Matrix<double> samples =
          synthetic_samples(stream, phase.domain, Split::Train, first, kBatchSize);
      first += kBatchSize;
      ++batch;
      for (Run& run : runs) {
        BatchSummary summary;
        {
          const Stopwatch watch(run.seconds);
          summary = run.learner.learn_batch(Batch<double>::dense(samples));
        }
        run.atoms.push_back(static_cast<double>(summary.atoms));
        run.born.push_back(static_cast<double>(summary.born.size()));
        run.died.push_back(static_cast<double>(summary.died.size()));
        for (std::size_t d = 0; d < test.size(); ++d) {
          run.pearson[d].push_back(held_out_pearson(run.learner, test[d]));
        }
      }
      view.show(runs, batch, kBatchesPerPhase * static_cast<Index>(std::size(kPhases)), phase);
    }
  }
  return runs;
}

}  // namespace
}  // namespace nodl::cli
