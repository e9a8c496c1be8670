// nodl train: learn a dictionary from a stream.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <variant>

#include "commands.h"
#include "enum_option.h"
#include "model_summary.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "train_checks.h"
#include "train_run.h"
#include "train_settings.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

void add_files(CLI::App& command, TrainSettings& settings) {
  constexpr const char* group = "Model and reports";
  command.add_option("INPUT", settings.inputs, kInputHelp)->required();
  CLI::Option* model =
      command
          .add_option(
              "--model",
              settings.model,
              "Where the model goes; an existing file is replaced when the new one is whole.")
          ->type_name("FILE")
          ->required()
          ->group(group);
  command
      .add_option("--from",
                  settings.from,
                  "Learn on from this model: its atoms, memories and options, flags over them.")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--resume",
                settings.resume,
                "Go on with the run that --model holds, with the same options and inputs; start at "
                "the beginning where there is none; leave a finished run as it is unless the "
                "inputs have grown.")
      ->group(group);
  command
      .add_flag("--verify-inputs",
                settings.verify_inputs,
                "With --resume: check that all samples learned so far are the same, not only the "
                "last batch.")
      ->group(group);
  command
      .add_option("--checkpoint-every",
                  settings.checkpoint_every,
                  "Write the model every N batches, besides at the end and at SIGINT and SIGTERM; "
                  "0: only then.")
      ->type_name("N")
      ->check(whole_number<std::int64_t>(0))
      ->default_str("0")
      ->group(group);
  command
      .add_flag("--slim",
                settings.slim,
                "Leave the training state out of the finished model: it encodes, but cannot learn "
                "on. Checkpoints have it.")
      ->group(group);
  command
      .add_option(
          "--eval", settings.evals, "Evaluate the model on this input at the end; repeatable.")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--events", settings.events, "Write what happens, batch by batch, as JSON lines.")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--config",
                  settings.config,
                  "Options as one JSON object; keys are the flags' names with _ for -. Flags win.")
      ->type_name("FILE")
      ->each([model](const std::string&) { model->required(false); })  // the file may name it
      ->group(group);
  settings.input_flags.add(command);
  settings.stream_flags.add(command);
}

void add_choices(CLI::App& command, TrainSettings& settings) {
  constexpr const char* group = "Method";
  add_enum(command,
           "--preset",
           settings.preset,
           "All that the paper leaves open: as printed, or as the authors' released code does it.")
      ->default_str("paper")
      ->group(group);
  add_enum(
      command,
      "--method",
      settings.method,
      "nodl+: no deaths; nodl-: no births; odl: neither; odl*: dead atoms are redrawn; random: "
      "nothing is learned. Wins over --max-births and --group-penalty.")
      ->default_str("nodl")
      ->group(group);
  add_enum(command, "--precision", settings.precision, "Precision of samples, codes and atoms.")
      ->default_str("float64")
      ->group(group);
  settings.flags.add(command);
  add_threads(command, settings.threads);
  add_enum(command,
           "--progress",
           settings.progress,
           "Progress on stderr: auto shows it on a terminal only.")
      ->default_str("auto");
  command.add_flag("--json", settings.json, "Print the result as one JSON document.");
}

template <class Scalar>
void run(const TrainSettings& settings, std::optional<Model<Scalar>> from) {
  std::optional<Options> stored;
  if (from) stored = from->options;
  const Options options = train_options(settings, stored);
  TrainResult result;
  train(settings, options, std::move(from), result);
  print_train_result(result, settings);
  if (!result.eval_failure) return;
  std::fflush(stdout);  // before the line that says what went wrong
  std::rethrow_exception(result.eval_failure);
}

void run_from(const TrainSettings& settings) {
  AnyModel any = io::load_model(settings.from);
  std::visit(
      [&](auto& model) {
        if (settings.precision && *settings.precision != precision_of(model)) {
          throw InvalidOptions("--precision differs from that of " + settings.from);
        }
        using M = std::remove_reference_t<decltype(model)>;
        run(settings, std::optional<M>(std::move(model)));
      },
      any);
}

void run(TrainSettings& settings, CLI::App& command) {
  read_config(command, settings);
  if (settings.model.empty()) throw CLI::RequiredError("--model");
  // What is wrong in itself comes before any file is opened.
  if (settings.from.empty()) train_options(settings, std::nullopt);
  for (const auto& [name, path] : eval_inputs(settings)) require_readable_again(path);
  check_resume_flags(settings);
  if (!settings.from.empty()) {
    run_from(settings);
  } else if (settings.precision == Precision::Float32) {
    run<float>(settings, std::nullopt);
  } else {
    run<double>(settings, std::nullopt);
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto settings = std::make_shared<TrainSettings>();
  CLI::App& command = *app.add_subcommand("train", "Learn a dictionary from a stream of samples.");
  command.description(
      "Learn a dictionary from a stream of samples: the inputs, one after the other.\n"
      "Defaults suit any data; docs/PARAMETERS.md tells what each parameter does.");
  add_files(command, *settings);
  add_choices(command, *settings);
  command.footer(
      "Example: nodl train day1.npy day2.npy --model m.nodl --eval day1=test1.npy --events "
      "e.jsonl");
  command.callback([settings, &command] {
    settings->flags.naming_sources(
        [&] { run(*settings, command); }, settings->config_options, settings->config);
  });
}

}  // namespace nodl::cli
