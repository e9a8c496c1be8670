// Algorithm 1. Each numbered step stands in the loop of learn_batch(); what a step does is in the
// file named after it.
#include "nodl/learner.h"

#include <chrono>
#include <ctime>
#include <numeric>
#include <type_traits>

#include "encode/encode_checked.h"
#include "magnitude.h"
#include "nodl/birth.h"
#include "nodl/error.h"
#include "nodl/footprint.h"
#include "nodl/metrics.h"
#include "nodl/slots.h"
#include "nodl/update.h"

namespace nodl {
namespace {

/// Adds the wall-clock and CPU time of its life to a stage of the summary.
class Stopwatch {
 public:
  Stopwatch(BatchSummary& summary, double StageSeconds::*stage)
      : wall_total_(summary.seconds.*stage), cpu_total_(summary.cpu_seconds.*stage) {}
  ~Stopwatch() {
    wall_total_ += std::chrono::duration<double>(Clock::now() - wall_).count();
    cpu_total_ += static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& wall_total_;
  double& cpu_total_;
  Clock::time_point wall_ = Clock::now();
  std::clock_t cpu_ = std::clock();
};

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

AtomSign sign_of(const Options& options) {
  return options.update.positive_dict ? AtomSign::NonNegative : AtomSign::Any;
}

Options checked(const Options& options, Index dimension) {
  Options resolved = resolve(options, dimension);
  const std::vector<std::string> wrong = violations(resolved);
  if (dimension < 1) throw InvalidOptions("samples must have at least one value");
  if (!wrong.empty()) throw InvalidOptions(wrong.front());
  return resolved;
}

template <class Scalar>
constexpr Precision kPrecision =
    std::is_same_v<Scalar, double> ? Precision::Float64 : Precision::Float32;

/// As it will be in the stages that follow. A last, shorter batch counts as a full one, so that a
/// model that has learned it fits when it is learned on.
template <class Scalar>
LearningSize learning_size(const Dictionary<Scalar>& D, const Batch<Scalar>& x, Index batch_size) {
  const Index dense = D.size() - D.sparse_size(), n = std::max(x.samples(), batch_size);
  const Index numbers = x.is_sparse() ? x.columns().nonzeros() : D.dimension() * n;
  return {D.dimension(), D.sparse_size(), dense, n, numbers};
}

}  // namespace

template <class Scalar>
Learner<Scalar>::Learner(Index dimension, const Options& options, int threads) : pool_(threads) {
  model_.options = checked(options, dimension);
  const Options& o = model_.options;
  require_memory({dimension, 0, o.atoms, o.batch_size, 0}, o, kPrecision<Scalar>);
  model_.dictionary = Dictionary<Scalar>(dimension);
  model_.memory = Memory(dimension, 0);  // Alg.1 step 1
}

template <class Scalar>
Learner<Scalar>::Learner(Model<Scalar> model, int threads)
    : model_(std::move(model)), pool_(threads) {
  model_.options = checked(model_.options, model_.dictionary.dimension());
  assign_slots(model_.dictionary.records(), model_.progress, model_.options.birth.max_atoms);
  const Dictionary<Scalar>& D = model_.dictionary;
  if (D.size() > model_.options.birth.max_atoms) {
    throw InvalidOptions("max_atoms is " + std::to_string(model_.options.birth.max_atoms) +
                         ", must be at least " + std::to_string(D.size()) +
                         ", the size of the dictionary");
  }
  if (!model_.initialised && D.size() > 0) {
    throw InvalidOptions("a model with atoms must be initialised");
  }
  // The samples, which may be sparse, are counted as batches come.
  const Index dense = D.size() - D.sparse_size();
  require_memory({D.dimension(), D.sparse_size(), dense, model_.options.batch_size, 0},
                 model_.options,
                 kPrecision<Scalar>);
}

template <class Scalar>
BatchSummary Learner<Scalar>::learn_batch(const Batch<Scalar>& x) {  // Alg.1 steps 2-3
  const Options& options = model_.options;
  Dictionary<Scalar>& D = model_.dictionary;
  if (x.dimension() != D.dimension()) throw ShapeMismatch("samples and atoms differ in length");
  const Memory& memory = model_.memory;
  if (memory.A().rows() != D.size() || memory.B().rows() != D.dimension()) {
    throw ShapeMismatch("the memories do not match the dictionary");  // left out of a slim model
  }
  require_squarable(x, pool_);
  initialise(x);
  BatchSummary summary = begin_summary(x);

  KnownProducts<Scalar> products;  // of atoms that stay the same until step 9
  Codes<Scalar> alpha = code(x, summary, may_give_birth() ? &products : nullptr);  // Alg.1 step 4
  const BirthDecision birth = consider_births(x, alpha, summary);  // Alg.1 steps 5-6
  if (birth.count > 0) {
    give_birth(x, alpha, birth.count, summary);  // Alg.1 steps 7-8
    alpha = code(x, summary, &products);         // Alg.1 step 9
  }
  products = {};
  if (!options.frozen) {
    remember(x, alpha, summary);                                     // Alg.1 step 11
    update(summary);                                                 // Alg.1 steps 12-19
    if (options.update.redraw_dead) redraw_dead(x, alpha, summary);  // App. B.7: ODL*
  }
  finish_summary(x, alpha, summary);
  if (!options.frozen) bury_dead(summary);  // zero atoms leave D, A and B
  return summary;
}

template <class Scalar>
void Learner<Scalar>::initialise(const Batch<Scalar>& x) {
  if (model_.initialised) return;
  const Options& options = model_.options;
  const Index k = options.atoms;
  LearningSize size = learning_size(model_.dictionary, x, options.batch_size);
  size.dense_atoms += k;
  require_memory(size, options, kPrecision<Scalar>);
  Matrix<Scalar> atoms = random_atoms<Scalar>(
      x.dimension(), k, options.seed, Purpose::InitialAtom, 0, sign_of(options));
  if (options.init == Init::Sample) {
    // Samples of the first batch in an order drawn at random; random atoms where they do not
    // suffice.
    Random random(options.seed, Purpose::ChooseSamples);
    std::vector<double> order(x.samples());
    for (double& key : order) key = random.uniform();
    const Matrix<Scalar> samples =
        sample_atoms(x, order, k, options.coding.atom_norm, sign_of(options));
    atoms.leftCols(samples.cols()) = samples;
  }
  append_atoms(atoms, 0);
  model_.initialised = true;
}

template <class Scalar>
AtomRecord Learner<Scalar>::new_record(std::int64_t batch, const std::vector<AtomRecord>& living) {
  Progress& progress = model_.progress;
  AtomRecord record;
  record.id = progress.next_id++;
  record.birth_batch = batch;
  record.slot = take_slot(living, progress, model_.options.birth.max_atoms);
  return record;
}

template <class Scalar>
std::vector<std::int64_t> Learner<Scalar>::append_atoms(const Matrix<Scalar>& atoms,
                                                        std::int64_t batch) {
  std::vector<AtomRecord> living = model_.dictionary.records();
  std::vector<AtomRecord> records;
  std::vector<std::int64_t> ids;
  for (Index j = 0; j < atoms.cols(); ++j) {
    records.push_back(new_record(batch, living));
    living.push_back(records.back());
    ids.push_back(records.back().id);
  }
  model_.memory.grow(atoms.cols());
  model_.dictionary.append(atoms, records);
  return ids;
}

template <class Scalar>
BatchSummary Learner<Scalar>::begin_summary(const Batch<Scalar>& x) {
  BatchSummary summary;
  summary.batch = ++model_.progress.batches;
  summary.samples = x.samples();
  return summary;
}

template <class Scalar>
bool Learner<Scalar>::may_give_birth() const {
  return model_.options.birth.max_births > 0 && !model_.options.frozen;
}

template <class Scalar>
Codes<Scalar> Learner<Scalar>::code(const Batch<Scalar>& x,
                                    BatchSummary& summary,
                                    KnownProducts<Scalar>* known) {
  const Stopwatch watch(summary, &StageSeconds::code);
  const Options& options = model_.options;
  const CodingDictionary<Scalar> D1(model_.dictionary, options.coding.atom_norm);
  return encode_checked(D1, x, options.coding, options.bisection, pool_, known);
}

template <class Scalar>
BirthDecision Learner<Scalar>::consider_births(const Batch<Scalar>& x,
                                               const Codes<Scalar>& alpha,
                                               BatchSummary& summary) {
  const Stopwatch watch(summary, &StageSeconds::birth);
  const BirthOptions& options = model_.options.birth;
  Progress& progress = model_.progress;
  const bool first = progress.batch_of_call == 0;
  ++progress.batch_of_call;
  if (!may_give_birth() && !reports_scores_) return {};
  const bool rank = options.birth_metric == BirthMetric::Spearman;
  const CodingDictionary<Scalar> D1(model_.dictionary, model_.options.coding.atom_norm);
  scores_ =
      score(D1, x, alpha, rank ? Correlations::PearsonAndSpearman : Correlations::Pearson, pool_);
  summary.pearson_before = mean(scores_.pearson);
  summary.birth_correlation = rank ? mean(scores_.spearman) : summary.pearson_before;
  // Samples without any variation correlate with nothing, whatever atoms there are.
  const bool lifeless = std::all_of(scores_.deviation.begin(),
                                    scores_.deviation.end(),
                                    [](double deviation) { return !(deviation > 0); });
  if (!may_give_birth() || lifeless) return {};
  Index carried = progress.carried_births;
  BirthDecision decision =
      decide_births(summary.birth_correlation, first, model_.dictionary.size(), options, carried);
  progress.carried_births = carried;
  const LearningSize size = learning_size(model_.dictionary, x, model_.options.batch_size);
  const Index affordable =
      affordable_births(decision.count, size, model_.options, kPrecision<Scalar>);
  if (affordable < decision.count) {
    decision.denied += decision.count - affordable;
    decision.denied_by = BirthLimit::MemoryLimit;
    decision.count = affordable;
  }
  summary.birth_reason = decision.reason;
  summary.denied = decision.denied;
  summary.denied_by = decision.denied_by;
  return decision;
}

template <class Scalar>
void Learner<Scalar>::give_birth(const Batch<Scalar>& x,
                                 const Codes<Scalar>& alpha,
                                 Index count,
                                 BatchSummary& summary) {
  const Stopwatch watch(summary, &StageSeconds::birth);
  const Options& options = model_.options;
  Matrix<Scalar> newborns;
  switch (options.birth.birth_init) {
    case BirthInit::Random:
      newborns = random_atoms<Scalar>(x.dimension(),
                                      count,
                                      options.seed,
                                      Purpose::NewbornAtom,
                                      static_cast<std::uint64_t>(summary.batch),
                                      sign_of(options));
      break;
    case BirthInit::Sample:
      newborns =
          sample_atoms(x, scores_.pearson, count, options.coding.atom_norm, sign_of(options));
      break;
    case BirthInit::Residual: {
      const CodingDictionary<Scalar> D1(model_.dictionary, options.coding.atom_norm);
      newborns = residual_atoms(D1, x, alpha, count, options.update.atom_nonzeros, pool_);
      if (options.update.positive_dict) make_non_negative(newborns);
      break;
    }
  }
  summary.born = append_atoms(newborns, summary.batch);
  model_.progress.births += newborns.cols();
}

template <class Scalar>
void Learner<Scalar>::remember(const Batch<Scalar>& x,
                               const Codes<Scalar>& alpha,
                               BatchSummary& summary) {
  const Stopwatch watch(summary, &StageSeconds::memory);
  const Vector<double> kept =
      model_.memory.kept(model_.options.memory, x.samples(), model_.progress.samples);
  count_uses(model_.memory.accumulate(x, alpha, 1, pool_, kept), summary.batch);
}

template <class Scalar>
void Learner<Scalar>::count_uses(const std::vector<Index>& uses, std::int64_t batch) {
  std::vector<AtomRecord>& records = model_.dictionary.records();
  for (std::size_t j = 0; j < uses.size(); ++j) {
    records[j].uses += uses[j];
    if (uses[j] > 0) records[j].last_use = batch;
  }
}

template <class Scalar>
void Learner<Scalar>::update(BatchSummary& summary) {
  const Stopwatch watch(summary, &StageSeconds::update);
  // Nothing was ever coded (only constant samples so far, or no atoms are left): there is nothing
  // to fit atoms to.
  const Matrix<double>& A = model_.memory.A();
  if (A.rows() == 0 || !(A.diagonal().maxCoeff() > 0)) return;
  const UpdateResult result = update_dictionary(
      model_.dictionary, model_.memory, model_.options.update, model_.options.bisection, pool_);
  summary.sweeps += result.sweeps;
  summary.converged = result.converged;
}

// App. B.7: zero atoms are redrawn, the batch is coded again and its contribution to the memories
// replaced, and the update is run a second time; once per batch (PAPER_VS_CODE 5.8).
template <class Scalar>
void Learner<Scalar>::redraw_dead(const Batch<Scalar>& x,
                                  Codes<Scalar>& alpha,
                                  BatchSummary& summary) {
  Dictionary<Scalar>& D = model_.dictionary;
  std::vector<Index> dead;
  for (Index j = 0; j < D.size(); ++j) {
    if (D.is_zero(j)) dead.push_back(j);
  }
  if (dead.empty()) return;
  const Matrix<Scalar> atoms = random_atoms<Scalar>(D.dimension(),
                                                    static_cast<Index>(dead.size()),
                                                    model_.options.seed,
                                                    Purpose::RedrawnAtom,
                                                    static_cast<std::uint64_t>(summary.batch),
                                                    sign_of(model_.options));
  for (std::size_t t = 0; t < dead.size(); ++t) {
    AtomRecord& record = D.records()[dead[t]];
    summary.died.push_back(record);
    record.slot = -1;  // free again
    record = new_record(summary.batch, D.records());
    summary.born.push_back(record.id);
    D.replace_atom(dead[t], atoms.col(static_cast<Index>(t)).data());
  }
  summary.birth_reason = BirthReason::Redraw;
  model_.progress.births += static_cast<std::int64_t>(dead.size());
  model_.progress.deaths += static_cast<std::int64_t>(dead.size());
  const std::vector<Index> taken_back = model_.memory.accumulate(x, alpha, -1, pool_);
  for (Index j = 0; j < D.size(); ++j) D.records()[j].uses -= taken_back[j];
  for (const Index j : dead) D.records()[j].uses = 0;
  alpha = code(x, summary);
  count_uses(model_.memory.accumulate(x, alpha, 1, pool_), summary.batch);
  update(summary);
}

template <class Scalar>
void Learner<Scalar>::finish_summary(const Batch<Scalar>& x,
                                     const Codes<Scalar>& alpha,
                                     BatchSummary& summary) {
  const Stopwatch watch(summary, &StageSeconds::other);
  if (reports_scores_) {
    const CodingDictionary<Scalar> D1(model_.dictionary, model_.options.coding.atom_norm);
    summary.pearson_after = mean(score(D1, x, alpha, Correlations::Pearson, pool_).pearson);
  }
  summary.code_nonzeros = static_cast<double>(alpha.columns.nonzeros()) /
                          static_cast<double>(std::max<Index>(1, x.samples()));
  model_.progress.samples += x.samples();
  summary.atoms = model_.dictionary.size();
  summary.atoms_alive = model_.dictionary.alive();
}

template <class Scalar>
void Learner<Scalar>::bury_dead(BatchSummary& summary) {
  const UpdateOptions& options = model_.options.update;
  const bool removes = options.remove_dead == RemoveDead::Always ||
                       (options.remove_dead == RemoveDead::Penalty && options.group_penalty > 0);
  if (!removes || summary.atoms_alive == summary.atoms) return;
  Dictionary<Scalar>& D = model_.dictionary;
  std::vector<bool> keep(D.size());
  for (Index j = 0; j < D.size(); ++j) {
    keep[j] = !D.is_zero(j);
    if (!keep[j]) summary.died.push_back(D.records()[j]);
  }
  model_.progress.deaths += static_cast<std::int64_t>(D.size() - summary.atoms_alive);
  D.keep(keep);
  model_.memory.keep(keep);
  summary.atoms = D.size();
}

template <class Scalar>
void Learner<Scalar>::begin_call() {
  model_.progress.batch_of_call = 0;
  model_.progress.carried_births = 0;
}

template <class Scalar>
Codes<Scalar> Learner<Scalar>::encode(const Batch<Scalar>& batch) {
  const CodingDictionary<Scalar> D1(model_.dictionary, model_.options.coding.atom_norm);
  return nodl::encode(D1, batch, model_.options.coding, model_.options.bisection, pool_);
}

template class Learner<double>;
template class Learner<float>;

}  // namespace nodl
