#include "learner_object.h"

#include <algorithm>

#include "nodl/decode.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"

namespace nodl::python {
namespace {

constexpr Index kBlock = 1024;  // samples evaluated at a time

void require_valid(const Options& options) {
  std::string all;
  for (const std::string& violation : violations(options)) {
    all += (all.empty() ? "" : "; ") + violation;
  }
  if (!all.empty()) throw InvalidOptions(all);
}

Options parsed(const std::string& json) {
  Options options = io::options_from_json(json);
  require_valid(options);
  return options;
}

}  // namespace

template <class Scalar>
LearnerObject<Scalar>::LearnerObject(Index dimension, const std::string& options, int threads)
    : learner_(std::make_unique<Learner<Scalar>>(dimension, parsed(options), threads)),
      threads_(threads) {}

template <class Scalar>
LearnerObject<Scalar>::LearnerObject(Model<Scalar> model, int threads)
    : learner_(std::make_unique<Learner<Scalar>>(std::move(model), threads)), threads_(threads) {}

/// A forked child cannot end the threads of the parent's pool: it would wait for them for ever.
template <class Scalar>
LearnerObject<Scalar>::~LearnerObject() {
  if (getpid() != process_) static_cast<void>(learner_.release());
}

/// A forked child has this object but not the threads of its pool: it makes its own, and cannot end
/// those that it never had.
template <class Scalar>
Learner<Scalar>& LearnerObject<Scalar>::learner() {
  if (getpid() != process_) {
    Learner<Scalar>* parents = learner_.release();
    learner_ = std::make_unique<Learner<Scalar>>(std::move(parents->model()), threads_);
    process_ = getpid();
  }
  return *learner_;
}

template <class Scalar>
void LearnerObject<Scalar>::set_threads(int threads) {
  const std::lock_guard lock(mutex_);
  if (threads == threads_) return;
  // Throws where so many threads cannot be had, while the model is still in its place.
  static_cast<void>(ThreadPool(threads));
  threads_ = threads;
  learner_ = std::make_unique<Learner<Scalar>>(std::move(learner().model()), threads);
}

template <class Scalar>
typename LearnerObject<Scalar>::Learned LearnerObject<Scalar>::learn(const Batch<Scalar>& samples,
                                                                     bool scores) {
  const std::lock_guard lock(mutex_);
  Model<Scalar>& model = learner().model();
  if (!io::has_training_state(model)) {
    throw ModelError("the model has no training state: it codes, but cannot learn on");
  }
  learner().report_scores(scores);
  Learned learned;
  learned.summary =
      learner().learn_batch(io::preprocess(samples, model.options.preprocess, buffer_));
  model.progress.finished = false;
  model.stream.append_batch(digest_of(samples));
  learned.birth_threshold = model.options.birth.birth_threshold;
  learned.samples_seen = model.progress.samples;
  return learned;
}

template <class Scalar>
void LearnerObject<Scalar>::begin_call() {
  const std::lock_guard lock(mutex_);
  learner().begin_call();
}

template <class Scalar>
void LearnerObject<Scalar>::finish() {
  const std::lock_guard lock(mutex_);
  learner().model().progress.finished = true;
}

template <class Scalar>
void LearnerObject<Scalar>::freeze() {
  const std::lock_guard lock(mutex_);
  apply_method(learner().model().options, Method::Odl);
  layered_ = -1;
}

template <class Scalar>
const Options& LearnerObject<Scalar>::options_under(const std::string& layer) {
  const Model<Scalar>& model = learner().model();
  if (layered_ != model.progress.batches || layer != layer_) {
    const Options options =
        layer.empty() ? model.options : io::options_from_json(layer, model.options);
    layered_options_ = resolve(options, model.dictionary.dimension());
    require_valid(layered_options_);
    layer_ = layer;
    layered_ = model.progress.batches;
  }
  return layered_options_;
}

template <class Scalar>
typename LearnerObject<Scalar>::Encoded LearnerObject<Scalar>::encode(const Batch<Scalar>& samples,
                                                                      const std::string& layer,
                                                                      bool slots,
                                                                      bool split_sign) {
  const std::lock_guard lock(mutex_);
  const Model<Scalar>& model = learner().model();
  const Options& options = options_under(layer);
  const CodingDictionary<Scalar> dictionary(model.dictionary, options.coding.atom_norm);
  return {nodl::encode(dictionary,
                       io::preprocess(samples, options.preprocess, buffer_),
                       options.coding,
                       options.bisection,
                       learner().pool()),
          slots ? slot_layout(model, split_sign) : atom_layout(dictionary.size(), split_sign)};
}

template <class Scalar>
Matrix<Scalar> LearnerObject<Scalar>::decode(const Batch<Scalar>& codes, bool slots) {
  const std::lock_guard lock(mutex_);
  const Model<Scalar>& model = learner().model();
  const CodingDictionary<Scalar> dictionary(model.dictionary, model.options.coding.atom_norm);
  const CodeLayout layout =
      slots ? slot_layout(model, false) : atom_layout(dictionary.size(), false);
  Matrix<Scalar> samples;
  nodl::decode<Scalar>(dictionary, layout.atoms(), codes, 0, samples);
  return samples;
}

template <class Scalar>
Evaluation LearnerObject<Scalar>::evaluate(const Batch<Scalar>& samples, const std::string& layer) {
  const std::lock_guard lock(mutex_);
  const Model<Scalar>& model = learner().model();
  const Options& options = options_under(layer);
  const CodingDictionary<Scalar> dictionary(model.dictionary, options.coding.atom_norm);
  ThreadPool& pool = learner().pool();
  Evaluator evaluator;
  for (Index first = 0; first < samples.samples(); first += kBlock) {
    const Batch<Scalar> block =
        io::preprocess(samples.middle(first, std::min(kBlock, samples.samples() - first)),
                       options.preprocess,
                       buffer_);
    const Codes<Scalar> codes =
        nodl::encode(dictionary, block, options.coding, options.bisection, pool);
    evaluator.add(score(dictionary, block, codes, Correlations::PearsonAndSpearman, pool),
                  dictionary.dimension(),
                  codes.columns.nonzeros());
  }
  return evaluator.result();
}

template class LearnerObject<double>;
template class LearnerObject<float>;

}  // namespace nodl::python
