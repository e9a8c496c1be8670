// What `nodl train` was asked to do.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input_flags.h"
#include "nodl/io/sample_reader.h"
#include "nodl/options.h"
#include "option_flags.h"
#include "progress_line.h"
#include "stream_flags.h"

namespace nodl::cli {

struct TrainSettings {
  std::vector<std::string> inputs;
  std::string model;
  std::string from;
  std::string events;
  std::string config;
  std::vector<std::string> evals;  // NAME=FILE
  std::optional<ShowProgress> progress;
  std::optional<Preset> preset;
  std::optional<Method> method;
  std::optional<Precision> precision;
  std::int64_t checkpoint_every = 0;
  int threads = 0;
  bool resume = false;
  bool slim = false;
  bool verify_inputs = false;
  bool json = false;
  InputFlags input_flags;
  StreamFlags stream_flags;
  OptionFlags flags;
  Json config_options = Json::object();  // the learning options of the config file
};

using NamedInput = std::pair<std::string, std::string>;  // name, path

/// Throws InvalidOptions.
std::vector<NamedInput> eval_inputs(const TrainSettings& settings);

/// Reads the config file: its learning options go to config_options, what else it sets stands
/// for flags of the command that were not given. Throws InvalidOptions that names the file where it
/// is to blame.
void read_config(CLI::App& command, TrainSettings& settings);

/// preset, config file, flags, method, in this order; `stored` are the options of --from, which
/// take the place of the preset. Not resolved, but valid. Throws InvalidOptions, also where flags
/// or config file ask for other initial atoms than the model of --from began with.
Options train_options(const TrainSettings& settings, const std::optional<Options>& stored);

}  // namespace nodl::cli
