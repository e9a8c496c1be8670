#include "train_settings.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "model_summary.h"
#include "nodl/error.h"
#include "usage.h"

namespace nodl::cli {
namespace {

Json parse_config(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  file.peek();  // notices a folder
  if (!file.is_open() || file.bad()) throw InvalidOptions(path + ": cannot be read");
  text << file.rdbuf();
  constexpr int kDeepest = 16;  // what walks through JSON again calls itself for every level
  try {
    Json config = Json::parse(text.str(), [&path](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepest) throw InvalidOptions(path + ": is nested too deeply");
      return true;
    });
    if (!config.is_object()) throw InvalidOptions(path + ": expected one JSON object");
    return config;
  } catch (const Json::exception& error) {
    throw InvalidOptions(path + ": is no JSON: " + error.what());
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
  std::vector<std::string> keys;
  for (const CLI::Option* flag : command.get_options()) {
    if (flag->get_lnames().empty()) continue;
    std::string name = flag->get_lnames().front();
    std::replace(name.begin(), name.end(), '-', '_');
    keys.push_back(name);
  }
  const auto meant = nearest(key, keys);
  throw InvalidOptions(fmt::format(
      "{}: unknown option {}{}", path, key, meant ? " (did you mean " + *meant + "?)" : ""));
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
    inputs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return inputs;
}

ShowProgress show_progress(const TrainSettings& settings) {
  if (settings.progress == "auto") return ShowProgress::Auto;
  if (settings.progress == "on") return ShowProgress::On;
  if (settings.progress == "off") return ShowProgress::Off;
  throw InvalidOptions("--progress must be auto|on|off, not " + settings.progress);
}

void read_config(CLI::App& command, TrainSettings& settings) {
  if (settings.config.empty()) return;
  const Json config = parse_config(settings.config);
  for (const auto& [key, value] : config.items()) {
    if (is_option(key)) {
      settings.config_options[key] = value;
      continue;
    }
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    CLI::Option* flag = command.get_option_no_throw("--" + name);
    if (flag == nullptr || name == "config" || name == "help") {
      refuse_key(command, settings.config, key);
    }
    set_flag(*flag, value);
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
  if (settings.method) {
    given.update(settings.config_options);
    enable_for_method(options, *settings.method, given);
    apply_method(options, *settings.method);
  }
  require_valid(options);
  return options;
}

}  // namespace nodl::cli
