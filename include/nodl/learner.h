// Algorithm 1: neurogenetic online dictionary learning.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "nodl/batch.h"
#include "nodl/birth.h"
#include "nodl/encoder.h"
#include "nodl/metrics.h"
#include "nodl/model.h"
#include "nodl/options.h"
#include "nodl/thread_pool.h"

namespace nodl {

template <class Scalar>
struct KnownProducts;

/// Seconds of the stages of one batch.
struct StageSeconds {
  double code = 0;    // steps 4 and 9
  double birth = 0;   // steps 5-8
  double memory = 0;  // step 11
  double update = 0;  // steps 12-19
  double other = 0;   // death, metrics
};

constexpr double kNotScored = std::numeric_limits<double>::quiet_NaN();

/// What one batch did.
struct BatchSummary {
  std::int64_t batch = 0;    // 1 is the first
  std::int64_t samples = 0;  // in this batch
  // Means over samples; NaN where not asked for (report_scores()).
  double pearson_before = kNotScored;     // codes of step 4
  double pearson_after = kNotScored;      // the same codes (of step 9) with the updated atoms
  double birth_correlation = kNotScored;  // what steps 5-6 looked at
  double code_nonzeros = 0;               // mean over samples
  std::vector<std::int64_t> born;         // ids
  BirthReason birth_reason = BirthReason::LowCorrelation;
  std::vector<AtomRecord> died;  // as they were at the end
  std::int64_t denied = 0;       // births that a limit forbade
  BirthLimit denied_by = BirthLimit::None;
  std::int64_t atoms = 0;  // after the batch
  std::int64_t atoms_alive = 0;
  std::int64_t sweeps = 0;
  bool converged = false;
  StageSeconds seconds;      // wall clock
  StageSeconds cpu_seconds;  // of all threads of the process
};

template <class Scalar>
class Learner {
 public:
  /// Starts anew. The dictionary is drawn with the first batch (`init = sample` needs it).
  Learner(Index dimension, const Options& options, int threads = 1);
  /// Goes on where a model stands.
  explicit Learner(Model<Scalar> model, int threads = 1);

  /// One turn of the loop of Algorithm 1.
  BatchSummary learn_batch(const Batch<Scalar>& batch);
  /// A new training call begins: with Inputs::Separate, each input is one.
  void begin_call();

  /// Whether summaries tell how samples correlate with their reconstructions, also where no birth
  /// depends on it: on unless told. On small problems it takes a tenth of the time.
  void report_scores(bool on) { reports_scores_ = on; }

  /// Codes in the current dictionary.
  Codes<Scalar> encode(const Batch<Scalar>& batch);

  const Model<Scalar>& model() const { return model_; }
  Model<Scalar>& model() { return model_; }
  ThreadPool& pool() { return pool_; }

 private:
  void initialise(const Batch<Scalar>& x);
  AtomRecord new_record(std::int64_t batch, const std::vector<AtomRecord>& living);
  std::vector<std::int64_t> append_atoms(const Matrix<Scalar>& atoms, std::int64_t batch);
  BatchSummary begin_summary(const Batch<Scalar>& x);
  Codes<Scalar> code(const Batch<Scalar>& x,
                     BatchSummary& summary,
                     KnownProducts<Scalar>* known = nullptr);
  bool may_give_birth() const;
  BirthDecision consider_births(const Batch<Scalar>& x,
                                const Codes<Scalar>& alpha,
                                BatchSummary& summary);
  void give_birth(const Batch<Scalar>& x,
                  const Codes<Scalar>& alpha,
                  Index count,
                  BatchSummary& summary);
  void count_uses(const std::vector<Index>& uses, std::int64_t batch);
  void remember(const Batch<Scalar>& x, const Codes<Scalar>& alpha, BatchSummary& summary);
  void update(BatchSummary& summary);
  void redraw_dead(const Batch<Scalar>& x, Codes<Scalar>& alpha, BatchSummary& summary);
  void finish_summary(const Batch<Scalar>& x, const Codes<Scalar>& alpha, BatchSummary& summary);
  void bury_dead(BatchSummary& summary);

  Model<Scalar> model_;
  ThreadPool pool_;
  Scores scores_;  // of the codes of step 4, for births
  bool reports_scores_ = true;
};

}  // namespace nodl
