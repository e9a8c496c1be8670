#include "train_checks.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "coding_stream.h"
#include "interruption.h"
#include "model_summary.h"
#include "nodl/error.h"
#include "output_checks.h"

namespace nodl::cli {

namespace fs = std::filesystem;

void check_evals(const TrainSettings& settings, io::ReadOptions read, Index dimension) {
  // Bad rows count when the samples are used.
  if (read.bad_rows) read.bad_rows = std::make_shared<io::BadRows>();
  read.model_columns = dimension;
  for (const auto& [name, path] : eval_inputs(settings)) {
    require_dimension(path, io::open_samples(path, read)->dimension(), dimension);
  }
}

io::ReadOptions eval_read_options(const TrainSettings& settings,
                                  std::shared_ptr<io::BadRows> bad_rows) {
  io::ReadOptions read = settings.input_flags.read_options();
  read.format = io::Format::Auto;
  read.rows = {};
  read.interrupted = [] { return SignalWatch::received() != 0; };
  read.bad_rows = std::move(bad_rows);
  return read;
}

void require_separate_outputs(const TrainSettings& settings,
                              const std::vector<std::string>& inputs,
                              const io::ReadOptions& read) {
  const NamedOutput model{"--model", settings.model};
  const NamedOutput events{"--events", settings.events};
  const NamedOutput quarantine{"--quarantine", read.bad_rows ? read.bad_rows->file() : ""};
  std::vector<std::string> needed = inputs;
  needed.push_back(settings.config);
  for (const auto& [name, path] : eval_inputs(settings)) needed.push_back(path);
  require_separate({model, events, quarantine}, needed);
  require_separate({events, quarantine}, {settings.from});  // a model may be learned on in place
}

void require_same_options(const std::string& path, const Options& stored, const Options& wanted) {
  const Json there = options_document(stored);
  const Json here = options_document(wanted);
  for (const auto& [name, value] : here.items()) {
    if (there.at(name) == value) continue;
    throw InvalidOptions(fmt::format(
        "--resume: {} is {} here and {} in {}", name, value.dump(), there.at(name).dump(), path));
  }
}

void require_training_state(const std::string& path, bool has_training_state) {
  if (has_training_state) return;
  throw ModelError(path + ": has no training state; it encodes, but cannot learn on");
}

void require_place(const TrainSettings& settings,
                   const StreamPlace& place,
                   const StreamPlace& before) {
  const std::int64_t samples = place.all.samples - before.all.samples;
  if (samples > 0 && samples >= place.last_batch.samples) return;
  throw ModelError(settings.model + (settings.from.empty()
                                         ? ": does not say which samples it has learned from; "
                                           "learn on with --from"
                                         : ": is not a run that began with " + settings.from));
}

void check_resume_flags(const TrainSettings& settings) {
  if (settings.verify_inputs && !settings.resume) {
    throw InvalidOptions("--verify-inputs needs --resume");
  }
  std::error_code ignored;
  if (settings.resume && !settings.from.empty() &&
      fs::equivalent(settings.from, settings.model, ignored)) {
    throw InvalidOptions("--resume needs --from and --model to be different files");
  }
}

}  // namespace nodl::cli
