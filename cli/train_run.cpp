#include "train_run.h"

#include <filesystem>
#include <memory>

#include "coding_stream.h"
#include "events.h"
#include "model_summary.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "nodl/io/sample_stream.h"
#include "train_checks.h"

namespace nodl::cli {
namespace {

template <class Scalar>
using Stream = io::SampleStream<Scalar>;

template <class Scalar>
std::unique_ptr<Stream<Scalar>> open_stream(const TrainSettings& settings,
                                            const Options& options,
                                            Seconds& seconds) {
  const io::ReadOptions read = settings.input_flags.read_options();
  const std::vector<std::string> paths = input_paths(settings.inputs, read);
  if (paths != settings.inputs && options.passes > 1) {
    throw InvalidOptions("standard input can be read only once, passes is " +
                         std::to_string(options.passes));
  }
  const Stopwatch reading(seconds);
  const io::StreamOptions stream{
      options.batch_size, options.inputs, options.last_batch, options.passes, options.preprocess};
  return std::make_unique<Stream<Scalar>>(paths, read, stream);
}

/// The state that an earlier run left in the model file.
template <class Scalar>
Model<Scalar> resumed_model(const std::string& path, const Options& options, Index dimension) {
  AnyModel any = io::load_model(path);
  auto* model = std::get_if<Model<Scalar>>(&any);
  if (model == nullptr) throw InvalidOptions("--resume: " + path + " has another precision");
  require_training_state(path, io::has_training_state(*model));
  require_dimension("the inputs", dimension, model->dictionary.dimension());
  require_same_options(path, model->options, resolve(options, dimension));
  return std::move(*model);
}

/// A learner at the place where this run begins.
template <class Scalar>
std::unique_ptr<Learner<Scalar>> start(const TrainSettings& settings,
                                       const Options& options,
                                       std::optional<Model<Scalar>> from,
                                       TrainResult& result) {
  if (from) {
    require_training_state(settings.from, io::has_training_state(*from));
    require_dimension(settings.inputs.front(), result.dimension, from->dictionary.dimension());
    result.before = from->progress;
    result.atoms_before = from->dictionary.size();
  }
  if (settings.resume && std::filesystem::exists(settings.model)) {
    auto model = resumed_model<Scalar>(settings.model, options, result.dimension);
    result.resumed_at = model.progress.batches;
    result.was_finished = model.progress.finished;
    return std::make_unique<Learner<Scalar>>(std::move(model), settings.threads);
  }
  if (!from) return std::make_unique<Learner<Scalar>>(result.dimension, options, settings.threads);
  from->options = options;
  from->progress.finished = false;
  return std::make_unique<Learner<Scalar>>(std::move(*from), settings.threads);
}

template <class Scalar>
bool next(Stream<Scalar>& stream, TrainResult& result) {
  const Stopwatch reading(result.seconds.read);
  return stream.next();
}

/// The batches of this stream that a resumed model has learned already.
template <class Scalar>
void skip_learned(Stream<Scalar>& stream, const Progress& progress, TrainResult& result) {
  std::int64_t samples = 0;
  for (std::int64_t batch = result.before.batches; batch < progress.batches; ++batch) {
    if (!next(stream, result)) break;
    samples += stream.batch().samples();
  }
  if (samples != progress.samples - result.before.samples) {
    throw DataError("--resume: the inputs hold other samples than the model has learned from");
  }
}

template <class Scalar>
void save(const Learner<Scalar>& learner, const TrainSettings& settings, TrainResult& result) {
  const Stopwatch writing(result.seconds.write);
  io::save_model(learner.model(), settings.model);
}

void add(const StageSeconds& from, StageSeconds& to) {
  to.code += from.code;
  to.birth += from.birth;
  to.memory += from.memory;
  to.update += from.update;
  to.other += from.other;
}

template <class Scalar>
BatchSummary learn_batch(Learner<Scalar>& learner,
                         const Batch<Scalar>& batch,
                         TrainResult& result) {
  const Stopwatch learning(result.seconds.learn);
  BatchSummary summary = learner.learn_batch(batch);
  result.pearson = summary.pearson_after;
  add(summary.seconds, result.seconds.stages);
  add(summary.cpu_seconds, result.seconds.cpu_stages);
  return summary;
}

template <class Scalar>
void learn(Learner<Scalar>& learner,
           Stream<Scalar>& stream,
           const TrainSettings& settings,
           TrainResult& result) {
  Progress& progress = learner.model().progress;
  const Inputs inputs = learner.model().options.inputs;
  skip_learned(stream, progress, result);
  std::optional<std::int64_t> left = stream.samples();
  if (left) *left -= progress.samples - result.before.samples;
  EventWriter events(settings.events, result.resumed_at);
  ProgressLine line(show_progress(settings), left);
  while (next(stream, result)) {
    if (inputs == Inputs::Separate && stream.starts_call()) learner.begin_call();
    events.before_batch(learner.model().dictionary.records());
    const BatchSummary summary = learn_batch(learner, stream.batch(), result);
    events.batch(summary, progress.samples, stream.input());
    line.batch(summary);
    const bool checkpoint =
        settings.checkpoint_every > 0 && progress.batches % settings.checkpoint_every == 0;
    if (checkpoint) save(learner, settings, result);
  }
  if (progress.batches == result.before.batches) {
    throw DataError(settings.inputs.front() +
                    ": not one full batch in the inputs; see --batch-size and --last-batch");
  }
  progress.finished = true;
  save(learner, settings, result);
}

}  // namespace

template <class Scalar>
void train(const TrainSettings& settings,
           const Options& options,
           std::optional<Model<Scalar>> from,
           TrainResult& result) {
  const Stopwatch total(result.seconds.total);
  const std::vector<NamedInput> evals = eval_inputs(settings);
  const auto stream = open_stream<Scalar>(settings, options, result.seconds.read);
  result.dimension = stream->dimension();
  result.sparse_input = stream->is_sparse();
  const io::ReadOptions eval_read = eval_read_options(settings);
  for (const auto& [name, path] : evals) check_eval(path, eval_read, result.dimension);
  check_output(settings.model);

  const auto learner = start(settings, options, std::move(from), result);
  const Model<Scalar>& model = learner->model();
  result.precision = precision_of(model);
  result.options = model.options;
  if (result.before.batches == 0 && result.atoms_before == 0) {
    result.atoms_before = model.options.atoms;
  }
  if (!result.was_finished) learn(*learner, *stream, settings, result);

  result.progress = model.progress;
  result.atoms = model.dictionary.size();
  result.atoms_alive = model.dictionary.alive();
  const Stopwatch evaluating(result.seconds.evaluate);
  for (const auto& [name, path] : evals) {
    result.evals.emplace_back(name, evaluate_input(model, path, eval_read, learner->pool()));
  }
}

template void train(const TrainSettings&,
                    const Options&,
                    std::optional<Model<double>>,
                    TrainResult&);
template void train(const TrainSettings&,
                    const Options&,
                    std::optional<Model<float>>,
                    TrainResult&);

}  // namespace nodl::cli
