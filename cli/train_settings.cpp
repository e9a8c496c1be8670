#include "train_settings.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "model_summary.h"
#include "nodl/error.h"
#include "usage.h"

namespace nodl::cli {
namespace {

/// Looks at a config file while it is parsed: what becomes of it afterwards would not tell.
class ConfigCheck {
 public:
  explicit ConfigCheck(const std::string& path) : path_(path) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    constexpr int kDeepest = 16;  // what walks through JSON again calls itself for every level
    if (depth > kDeepest) throw InvalidOptions(path_ + ": is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(value).second) {
      throw InvalidOptions(path_ + ": " + value.get<std::string>() + " is given more than once");
    }
    return true;
  }

 private:
  const std::string& path_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

Json parse_config(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  file.peek();  // notices a folder
  if (!file.is_open() || file.bad()) throw InvalidOptions(path + ": cannot be read");
  text << file.rdbuf();
  try {
    Json config = Json::parse(text.str(), ConfigCheck(path));
    if (!config.is_object()) throw InvalidOptions(path + ": expected one JSON object");
    return config;
  } catch (const Json::exception& error) {
    throw InvalidOptions(path + ": is no JSON: " + complaint(error));
  }
}

bool is_option(const std::string& key) {
  bool found = false;
  const Options options;
  visit_options(options, [&](const char* name, const auto&) { found |= key == name; });
  return found;
}

std::string flag_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What a flag is called in a config file: --[no-]refit is refit there, true or false.
std::string key_of(const CLI::Option& flag) {
  std::string key = flag.get_lnames().empty() ? "" : flag.get_lnames().front();
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// As if the flag had been given with the value; a list or an object (eval): once for each element.
void set_flag(CLI::Option& flag, const Json& value) {
  if (flag.count() > 0 || value.is_null()) return;  // flags win over the config file
  if (value.is_array()) {
    for (const Json& element : value) flag.add_result(flag_text(element));
  } else if (value.is_object()) {
    for (const auto& [name, element] : value.items()) {
      flag.add_result(name + "=" + flag_text(element));
    }
  } else {
    flag.add_result(flag_text(value));
  }
  flag.run_callback();
}

[[noreturn]] void refuse_key(const CLI::App& command,
                             const std::string& path,
                             const std::string& key) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '-', '_');
  if (name.starts_with("no_") && is_option(name.substr(3))) {
    throw InvalidOptions(
        fmt::format("{}: unknown option {} (write \"{}\": false)", path, key, name.substr(3)));
  }
  std::vector<std::string> keys;
  for (const CLI::Option* flag : command.get_options()) {
    if (!key_of(*flag).empty()) keys.push_back(key_of(*flag));
  }
  const auto meant = nearest(key, keys);
  throw InvalidOptions(fmt::format(
      "{}: unknown option {}{}", path, key, meant ? " (did you mean " + *meant + "?)" : ""));
}

/// The flag that a key of the config file stands for. Only its own name does: with any other one
/// that CLI11 knows, "no_refit": true would mean "refit": true.
CLI::Option& flag_named(CLI::App& command, const std::string& path, const std::string& key) {
  for (CLI::Option* flag : command.get_options()) {
    const bool usable = key != "config" && key != "help" && !key.empty();
    if (usable && key_of(*flag) == key) return *flag;
  }
  refuse_key(command, path, key);
}

/// Values that CLI11 does not judge.
void check_values(const TrainSettings& settings) {
  eval_inputs(settings);
  settings.input_flags.read_options();
  settings.stream_flags.check_values();
}

/// A model that is learned on has its atoms already: other ones could only be stored, as if they
/// had been drawn.
void require_same_start(const std::string& from, const Options& stored, const Options& wanted) {
  const Json there = options_document(stored);
  const Json here = options_document(wanted);
  for (const char* name : {"atoms", "init"}) {
    if (there.at(name) == here.at(name)) continue;
    throw InvalidOptions(
        fmt::format("{} is {} here and {} in {}; with --from leave it out: the "
                    "atoms are those of the model",
                    name,
                    here.at(name).dump(),
                    there.at(name).dump(),
                    from));
  }
}

/// A method needs births or deaths: where nobody gave the number and a model that had none of
/// them is learned on, the default comes back.
void enable_for_method(Options& options, Method method, const Json& given) {
  const Options usual = preset(Preset::Paper);
  const bool births = method == Method::Nodl || method == Method::NodlPlus;
  const bool deaths = method == Method::Nodl || method == Method::NodlMinus;
  if (births && options.birth.max_births == 0 && !given.contains("max_births")) {
    options.birth.max_births = usual.birth.max_births;
  }
  if (deaths && options.update.group_penalty == 0 && !given.contains("group_penalty")) {
    options.update.group_penalty = usual.update.group_penalty;
  }
}

/// "half_life is 0" would not tell who never gave it what to do.
void require_half_life(const Options& options, const Json& given) {
  if (options.memory.memory != MemoryKind::HalfLife || options.memory.half_life != 0) return;
  if (!given.contains("half_life")) throw InvalidOptions("memory half-life needs half_life");
}

/// A preset over the options of a model: only what the presets disagree about.
void apply_preset(Options& options, Preset wanted) {
  const Json paper = options_document(preset(Preset::Paper));
  const Json released = options_document(preset(Preset::Released));
  Json layer = Json::object();
  const Json& chosen = wanted == Preset::Paper ? paper : released;
  for (const auto& [name, value] : chosen.items()) {
    if (paper.at(name) != released.at(name)) layer[name] = value;
  }
  apply_layer(options, layer);
}

}  // namespace

std::vector<NamedInput> eval_inputs(const TrainSettings& settings) {
  std::vector<NamedInput> inputs;
  for (const std::string& text : settings.evals) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw InvalidOptions("--eval must be NAME=FILE, not " + text);
    }
    const std::string name = text.substr(0, equals);
    for (const auto& [other, path] : inputs) {
      if (other != name) continue;
      throw InvalidOptions("--eval: the name " + name + " is given more than once");
    }
    inputs.emplace_back(name, text.substr(equals + 1));
  }
  return inputs;
}

void read_config(CLI::App& command, TrainSettings& settings) {
  check_values(settings);  // what is wrong afterwards came from the file
  if (settings.config.empty()) return;
  const Json config = parse_config(settings.config);
  std::vector<std::pair<CLI::Option*, Json>> flags;
  for (const auto& [key, value] : config.items()) {
    if (is_option(key)) {
      settings.config_options[key] = value;
    } else {
      flags.emplace_back(&flag_named(command, settings.config, key), value);
    }
  }
  try {
    for (const auto& [flag, value] : flags) set_flag(*flag, value);
    check_values(settings);
  } catch (const CLI::ParseError& error) {
    throw InvalidOptions(settings.config + ": " + error.what());
  } catch (const InvalidOptions& error) {
    throw InvalidOptions(settings.config + ": " + error.what());
  }
}

Options train_options(const TrainSettings& settings, const std::optional<Options>& stored) {
  Options options = stored.value_or(preset(settings.preset.value_or(Preset::Paper)));
  if (stored && settings.preset) apply_preset(options, *settings.preset);
  try {
    apply_layer(options, settings.config_options);
  } catch (const InvalidOptions& error) {
    throw InvalidOptions(settings.config + ": " + error.what());
  }
  Json given = settings.flags.given();
  apply_layer(options, given);
  given.update(settings.config_options);
  if (settings.method) {
    enable_for_method(options, *settings.method, given);
    apply_method(options, *settings.method);
  }
  require_half_life(options, given);
  require_valid(options);
  if (stored) require_same_start(settings.from, *stored, options);
  return options;
}

}  // namespace nodl::cli
