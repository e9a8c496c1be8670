#include "demo_runs.h"

#include <numeric>
#include <utility>

#include "nodl/nodl.h"

namespace nodl::cli {
namespace {

/// The batches of the stream, one after the other; the first domain comes back with new samples.
class DemoStream {
 public:
  explicit DemoStream(std::uint64_t seed) : options_(demo_stream_options(seed)) {}

  bool next() {
    if (phase_ < kDemoPhases.size() && ++batch_of_phase_ > phase().batches) {
      batch_of_phase_ = 1;
      ++phase_;
    }
    if (phase_ == kDemoPhases.size()) return false;
    Index& first = seen_[phase().domain];
    samples_ = synthetic_samples(
        options_, static_cast<Index>(phase().domain), Split::Train, first, kDemoBatchSize);
    first += kDemoBatchSize;
    ++batch_;
    return true;
  }
  const DemoPhase& phase() const { return kDemoPhases[phase_]; }
  Index batch() const { return batch_; }
  Batch<double> samples() const { return Batch<double>::dense(samples_); }

 private:
  SyntheticOptions options_;
  std::size_t phase_ = 0;
  Index batch_of_phase_ = 0;
  Index batch_ = 0;
  std::array<Index, kDemoDomains> seen_{};
  Matrix<double> samples_;
};

using TestSets = std::array<Matrix<double>, kDemoDomains>;

TestSets test_sets(std::uint64_t seed) {
  TestSets sets;
  for (std::size_t d = 0; d < kDemoDomains; ++d) {
    sets[d] = synthetic_samples(
        demo_stream_options(seed), static_cast<Index>(d), Split::Test, 0, kDemoTestSamples);
  }
  return sets;
}

/// nodl; the others differ from it as said below.
Options growing(std::uint64_t seed) {
  Options o = preset(Preset::Paper);
  o.seed = seed;
  o.batch_size = kDemoBatchSize;
  o.atoms = 20;
  o.birth.max_atoms = kDemoMostAtoms;
  o.coding.code_nonzeros = 15;
  o.coding.atom_norm = AtomNorm::Unit;
  o.update.atom_nonzeros = 20;
  return o;
}

Options fixed_size(std::uint64_t seed) {
  Options o = growing(seed);
  apply_method(o, Method::Odl);
  o.atoms = kDemoMostAtoms;
  return o;
}

Options fixed_size_dense_atoms(std::uint64_t seed) {
  Options o = fixed_size(seed);
  o.update.atom_nonzeros = demo_stream_options(seed).dimension;
  return o;
}

Options fixed_size_centred_atoms(std::uint64_t seed) {
  Options o = fixed_size(seed);
  o.coding.atom_norm = AtomNorm::Centered;
  return o;
}

DemoRun new_run(const char* name, const char* note, const Options& options) {
  constexpr int kAllCores = 0;
  DemoRun run;
  run.name = name;
  run.note = note;
  run.learner =
      std::make_unique<Learner<double>>(demo_stream_options(0).dimension, options, kAllCores);
  return run;
}

void learn(DemoRun& run, const Batch<double>& batch) {
  BatchSummary summary;
  {
    const Stopwatch watch(run.seconds);
    summary = run.learner->learn_batch(batch);
  }
  run.atoms.push_back(static_cast<double>(summary.atoms));
  run.born.push_back(static_cast<double>(summary.born.size()));
  run.died.push_back(static_cast<double>(summary.died.size()));
}

void evaluate(DemoRun& run, const TestSets& test) {
  const CodingDictionary<double> dictionary(run.dictionary(), run.options().coding.atom_norm);
  for (std::size_t d = 0; d < kDemoDomains; ++d) {
    const Batch<double> batch = Batch<double>::dense(test[d]);
    const Codes<double> codes = run.learner->encode(batch);
    const Scores scores =
        score(dictionary, batch, codes, Correlations::Pearson, run.learner->pool());
    run.pearson[d].push_back(std::accumulate(scores.pearson.begin(), scores.pearson.end(), 0.0) /
                             static_cast<double>(scores.pearson.size()));
  }
}

}  // namespace

Index demo_batches() {
  Index sum = 0;
  for (const DemoPhase& phase : kDemoPhases) sum += phase.batches;
  return sum;
}

SyntheticOptions demo_stream_options(std::uint64_t seed) {
  SyntheticOptions o;
  o.kind = SyntheticKind::Latent;
  o.seed = seed;
  o.dimension = 768;
  o.nonzeros = 50;
  o.domains = static_cast<Index>(kDemoDomains);
  o.atoms = 60;
  o.atoms_per_sample = 5;
  return o;
}

double DemoRun::births() const { return std::accumulate(born.begin(), born.end(), 0.0); }
double DemoRun::deaths() const { return std::accumulate(died.begin(), died.end(), 0.0); }

std::vector<const DemoRun*> DemoRuns::all() const {
  std::vector<const DemoRun*> list = {&odl, &nodl};
  for (const DemoRun& run : others) list.push_back(&run);
  return list;
}

DemoRuns run_demo(std::uint64_t seed, const DemoWatcher& watcher) {
  const TestSets test = test_sets(seed);
  DemoRuns runs{new_run("odl", "fixed size", fixed_size(seed)),
                new_run("nodl", "grows and shrinks", growing(seed)),
                {}};
  runs.others.push_back(new_run("odl", "fixed, dense atoms", fixed_size_dense_atoms(seed)));
  runs.others.push_back(new_run("odl", "fixed, centred atoms", fixed_size_centred_atoms(seed)));

  for (DemoStream stream(seed); stream.next();) {
    for (DemoRun* run : {&runs.odl, &runs.nodl}) {
      learn(*run, stream.samples());
      evaluate(*run, test);
    }
    watcher.pair(stream.batch(), stream.phase(), runs.odl, runs.nodl);
  }
  for (DemoRun& run : runs.others) {
    for (DemoStream stream(seed); stream.next();) {
      learn(run, stream.samples());
      watcher.other(stream.batch(), run);
    }
    evaluate(run, test);
  }
  return runs;
}

}  // namespace nodl::cli
