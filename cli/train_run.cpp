#include "train_run.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "checkpoint.h"
#include "coding_stream.h"
#include "events.h"
#include "interruption.h"
#include "model_summary.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "nodl/io/sample_stream.h"
#include "output_checks.h"
#include "train_checks.h"

namespace nodl::cli {
namespace {

template <class Scalar>
using Stream = io::SampleStream<Scalar>;

/// What a signal leaves behind: all that was learned, unless that was nothing.
[[noreturn]] void end_interrupted(const TrainSettings& settings, const Progress& progress) {
  const int signal = SignalWatch::received();
  if (progress.samples == 0) throw Interrupted(signal, "interrupted before the first batch");
  throw Interrupted(signal,
                    "interrupted after batch " + std::to_string(progress.batches) +
                        "; go on with --resume from " + settings.model);
}

/// Does what reads files before the first batch; one that a signal ended may look empty or broken.
template <class Work>
auto unless_interrupted(const TrainSettings& settings, Work&& work) {
  try {
    return work();
  } catch (const DataError&) {
    if (SignalWatch::received() != 0) end_interrupted(settings, {});
    throw;
  }
}

template <class Scalar>
std::unique_ptr<Stream<Scalar>> open_stream(const TrainSettings& settings,
                                            const Options& options,
                                            const std::optional<Model<Scalar>>& from,
                                            TrainResult& result) {
  io::ReadOptions read = settings.input_flags.read_options();
  if (from) read.model_columns = from->dictionary.dimension();
  read.interrupted = [] { return SignalWatch::received() != 0; };
  settings.stream_flags.apply(read, settings.model);
  const std::vector<std::string> paths = input_paths(settings.inputs, read);
  require_readable_again(paths, read, options.passes);
  require_separate_outputs(settings, paths, read);
  result.bad_rows = read.bad_rows;
  const Stopwatch reading(result.seconds.read);
  const io::StreamOptions stream{options.batch_size,
                                 options.inputs,
                                 options.last_batch,
                                 options.passes,
                                 options.preprocess,
                                 read.follow};
  return unless_interrupted(settings,
                            [&] { return std::make_unique<Stream<Scalar>>(paths, read, stream); });
}

/// The state that an earlier run left in the model file.
template <class Scalar>
Model<Scalar> resumed_model(const TrainSettings& settings,
                            const Options& options,
                            Index dimension) {
  const std::string& path = settings.model;
  AnyModel any = io::load_model(path);
  auto* model = std::get_if<Model<Scalar>>(&any);
  if (model == nullptr) throw InvalidOptions("--resume: " + path + " has another precision");
  // A finished run may have ended with --slim; there is nothing left to learn.
  require_training_state(path, io::has_training_state(*model) || model->progress.finished);
  require_dimension(settings.inputs.front(), dimension, model->dictionary.dimension());
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
    result.stream_before = from->stream;
    result.atoms_before = from->dictionary.size();
  }
  if (settings.resume && std::filesystem::exists(settings.model)) {
    auto model = resumed_model<Scalar>(settings, options, result.dimension);
    if (model.progress.batches > 0) require_place(settings, model.stream, result.stream_before);
    result.resumed_at = model.progress.batches;
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

/// Goes to the first sample of the stream that a resumed model has not learned. The last batch, or
/// with --verify-inputs every sample, must be what was learned.
template <class Scalar>
void find_place(Stream<Scalar>& stream,
                const StreamPlace& place,
                const StreamPlace& before,
                const TrainSettings& settings) {
  const auto require = [&](bool holds, const char* what) {
    if (holds || SignalWatch::received() != 0) return;
    throw DataError(settings.inputs.front() + ": " + what + " " + settings.model);
  };
  constexpr const char* kFewer = "the inputs hold fewer samples than were learned by";
  if (place == before) return;
  const std::int64_t before_last =
      place.all.samples - before.all.samples - place.last_batch.samples;
  SampleDigest all = before.all;
  SampleDigest last;
  require(settings.verify_inputs ? stream.skip(before_last, all) : stream.skip(before_last),
          kFewer);
  require(stream.skip(place.last_batch.samples, last), kFewer);
  require(last == place.last_batch, "the inputs differ from the last batch learned by");
  all.append(last);
  require(!settings.verify_inputs || all == place.all, "the inputs differ from those learned by");
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

/// The batches that are left, with their events and checkpoints; true if there were any. Ends early
/// where a signal came, after the batch.
template <class Scalar>
bool learn_batches(Learner<Scalar>& learner,
                   Stream<Scalar>& stream,
                   const TrainSettings& settings,
                   EventWriter& events,
                   Checkpointer<Scalar>& checkpoints,
                   TrainResult& result) {
  Model<Scalar>& model = learner.model();
  std::optional<std::int64_t> left = stream.samples();
  if (left) *left -= model.stream.all.samples - result.stream_before.all.samples;
  ProgressLine line(settings.progress, left);
  learner.report_scores(!settings.json || !settings.events.empty() || line.is_on());
  bool any = false;
  const auto next_batch = [&] {
    try {
      return next(stream, result);
    } catch (const DataError& error) {
      // A followed file ends by a signal or like this, when it is rotated: both leave a checkpoint.
      if (!settings.stream_flags.follow || !any) throw;
      checkpoints.write_and_wait(model);
      throw DataError(fmt::format("{}; all before is in {}", error.what(), settings.model));
    }
  };
  while (SignalWatch::received() == 0 && next_batch()) {
    require_training_state(settings.model, io::has_training_state(model));
    if (!any && result.bad_rows) result.bad_rows->replace_old();
    any = true;
    model.progress.finished = false;
    if (model.options.inputs == Inputs::Separate && stream.starts_call()) learner.begin_call();
    const BatchSummary summary = learn_batch(learner, stream.batch(), result);
    model.stream.append_batch(stream.digest());
    const Index bad_rows = result.bad_rows ? result.bad_rows->total() : 0;
    events.batch(summary,
                 {shown_input(stream.input()), model.progress.samples, bad_rows},
                 model.options.birth);
    line.batch(summary);
    checkpoints.check();
    if (settings.checkpoint_every > 0 && model.progress.batches % settings.checkpoint_every == 0) {
      const Stopwatch writing(result.seconds.write);
      checkpoints.write(model);
    }
  }
  return any;
}

template <class Scalar>
void learn(Learner<Scalar>& learner,
           Stream<Scalar>& stream,
           const TrainSettings& settings,
           TrainResult& result) {
  Model<Scalar>& model = learner.model();
  find_place(stream, model.stream, result.stream_before, settings);
  EventWriter events(settings.events, result.resumed_at);
  Checkpointer<Scalar> checkpoints(settings.model, [&events] { events.sync(); });
  const bool any = learn_batches(learner, stream, settings, events, checkpoints, result);
  const bool interrupted = SignalWatch::received() != 0;
  if (!any && !interrupted && model.stream == result.stream_before) {
    const bool any_size = model.options.last_batch == LastBatch::Use;
    throw DataError(
        settings.inputs.front() +
        (any_size ? ": not one sample in the inputs to learn from; see --rows and --bad-rows"
                  : ": not one full batch in the inputs; see --batch-size and --last-batch"));
  }
  result.was_finished = !any && model.progress.finished;
  if (!interrupted) model.progress.finished = true;
  if (!interrupted && settings.slim) model.memory = Memory();
  if (any || (!interrupted && !result.was_finished)) {
    const Stopwatch writing(result.seconds.write);
    checkpoints.write_and_wait(model);
  }
  if (interrupted) end_interrupted(settings, model.progress);
}

/// Throws Interrupted: a signal may have made the evaluation end early, or its input look broken.
void stop_if_evaluation_interrupted(const std::string& model) {
  const int signal = SignalWatch::received();
  if (signal == 0) return;
  throw Interrupted(signal, "interrupted in the evaluation; " + model + " is written");
}

/// Throws DataError, Interrupted.
template <class Scalar>
Evaluation evaluate_whole(const Model<Scalar>& model,
                          const std::string& path,
                          const io::ReadOptions& read,
                          ThreadPool& pool,
                          const std::string& model_path) {
  try {
    const Evaluation evaluation = evaluate_input(model, path, read, pool);
    stop_if_evaluation_interrupted(model_path);
    if (evaluation.samples > 0) return evaluation;
    throw DataError(path + ": not one sample that can be used; see --bad-rows");
  } catch (const DataError&) {
    stop_if_evaluation_interrupted(model_path);
    throw;
  }
}

/// The model is written by now: what goes wrong here must not cost the run its result.
template <class Scalar>
void evaluate(const Model<Scalar>& model,
              const TrainSettings& settings,
              const io::ReadOptions& read,
              ThreadPool& pool,
              TrainResult& result) {
  const Stopwatch evaluating(result.seconds.evaluate);
  try {
    for (const auto& [name, path] : eval_inputs(settings)) {
      result.evals.emplace_back(name, evaluate_whole(model, path, read, pool, settings.model));
    }
  } catch (...) {
    result.eval_failure = std::current_exception();
  }
}

}  // namespace

template <class Scalar>
void train(const TrainSettings& settings,
           const Options& options,
           std::optional<Model<Scalar>> from,
           TrainResult& result) {
  const SignalWatch signals;
  const Stopwatch total(result.seconds.total);
  const auto stream = open_stream<Scalar>(settings, options, from, result);
  result.dimension = stream->dimension();
  result.sparse_input = stream->is_sparse();
  const io::ReadOptions eval_read = eval_read_options(settings, result.bad_rows);
  unless_interrupted(settings, [&] { check_evals(settings, eval_read, result.dimension); });
  require_writable(settings.model);

  const auto learner = start(settings, options, std::move(from), result);
  const Model<Scalar>& model = learner->model();
  result.precision = precision_of(model);
  result.options = model.options;
  if (result.before.batches == 0 && result.atoms_before == 0) {
    result.atoms_before = model.options.atoms;
  }
  learn(*learner, *stream, settings, result);

  result.progress = model.progress;
  result.atoms = model.dictionary.size();
  result.atoms_alive = model.dictionary.alive();
  evaluate(model, settings, eval_read, learner->pool(), result);
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
