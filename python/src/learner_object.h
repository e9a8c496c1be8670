// What a Python estimator holds: a learner that is safe to call from any thread, and after a fork.
#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "code_layout.h"
#include "nodl/io/sample_stream.h"
#include "nodl/learner.h"
#include "process_lock.h"
#include "samples.h"

namespace nodl::python {

/// Methods hold the lock, and none the GIL: they touch no Python object. A child that was forked
/// while no thread was in a method has a model of its own; else its calls throw (ProcessLock).
template <class Scalar>
class LearnerObject {
 public:
  LearnerObject(Index dimension, const std::string& options, int threads);
  LearnerObject(Model<Scalar> model, int threads);
  ~LearnerObject();

  struct Learned {
    BatchSummary summary;
    double birth_threshold = 0;
    std::int64_t samples_seen = 0;
  };
  /// `scores`: whether anybody reads the summary's correlations.
  Learned learn(const Batch<Scalar>& samples, bool scores);
  void begin_call();
  void finish();  // the stream came to its end
  void freeze();  // no births or deaths from now on
  void set_threads(int threads);

  /// With the columns that the atoms had when the codes were made.
  struct Encoded {
    Codes<Scalar> codes;
    CodeLayout layout;
  };
  /// `layer`: options as JSON over those of the model, for this call; empty: none.
  Encoded encode(const Batch<Scalar>& samples,
                 const std::string& layer,
                 bool slots,
                 bool split_sign);
  /// m x n, one sample a column; codes have a column for each atom, or each slot, and, if they have
  /// one more, the mean in it.
  Matrix<Scalar> decode(const Batch<Scalar>& codes, bool slots);
  Evaluation evaluate(const Batch<Scalar>& samples, const std::string& layer);

  /// Calls read(model) while nobody changes it.
  template <class Reader>
  auto with_model(const Reader& read) {
    const std::lock_guard lock(mutex_);
    return read(learner().model());
  }

 private:
  Learner<Scalar>& learner();
  const Options& options_under(const std::string& layer);

  ProcessLock mutex_;
  std::unique_ptr<Learner<Scalar>> learner_;
  int threads_;
  pid_t process_ = getpid();
  io::SampleBuffer<Scalar> buffer_;
  std::string layer_;          // of the last call,
  std::int64_t layered_ = -1;  // made when so many batches were learned,
  Options layered_options_;    // and what it gave
};

}  // namespace nodl::python
