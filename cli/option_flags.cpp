#include "option_flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "enum_option.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "option_table.h"

namespace nodl::cli {
namespace {

template <class T>
struct ValueOf {
  using Type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

std::string flag_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

template <class T>
std::string value_label(const std::string& name) {
  if (name == "scale") return "unit|FACTOR";
  if (name == "memory_limit") return "SIZE";
  if constexpr (std::is_enum_v<T>) {
    return names_of<T>();
  } else {
    return std::is_integral_v<T> ? "N" : "X";
  }
}

constexpr const char* kScale = "a number or \"unit\"";
constexpr const char* kSeed = "an integer from 0 to 18446744073709551615";

[[noreturn]] void refuse(const std::string& name, const char* expected, const std::string& found) {
  throw InvalidOptions(fmt::format("{} must be {}, not {}", name, expected, found));
}

template <class T>
const char* expected_number(std::errc error) {
  if (std::is_floating_point_v<T>) return "a number";
  if (std::is_unsigned_v<T>) return kSeed;
  return error == std::errc::result_out_of_range ? "an integer below 2^31" : "an integer";
}

template <class T>
T number_value(const std::string& flag, const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  bool usable = error == std::errc() && stop == end;
  if constexpr (std::is_floating_point_v<T>) usable = usable && std::isfinite(value);
  if (!usable) refuse(flag, flag == "--scale" ? kScale : expected_number<T>(error), text);
  return value;
}

/// "512M" as a number of bytes.
std::int64_t bytes_value(const std::string& name, const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::size_t unit = end - stop == 1 ? kUnits.find(*stop) : std::string_view::npos;
  const bool known = stop == end || unit != std::string_view::npos;
  if (stop != end && known) value *= std::exp2(10.0 * static_cast<double>(unit + 1));
  if (error != std::errc() || !known || !(value >= 0 && value < 0x1p63)) {
    refuse(name, "a size such as 512M or 2G", text);
  }
  return static_cast<std::int64_t>(value);
}

template <class T>
Json flag_value(const std::string& flag, const std::string& text) {
  if (flag == "--scale" && text == "unit") return text;
  if (flag == "--memory-limit") return bytes_value(flag, text);
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(enum_value<T>(flag, text)));
  } else {
    return number_value<T>(flag, text);
  }
}

/// What options_from_json() would refuse without saying all that is allowed, or would understand
/// as something else.
void check_layer(const Json& layer) {
  const auto given = [&](const char* name) { return layer.contains(name) ? layer[name] : Json(); };
  const Json scale = given("scale");
  if (!scale.is_null() && !scale.is_number() && scale != "unit") {
    refuse("scale", kScale, json_text(scale));
  }
  const Json seed = given("seed");
  if (!seed.is_null() && !seed.is_number_unsigned()) refuse("seed", kSeed, json_text(seed));
  for (const char* name : {"atoms", "max_atoms", "atom_nonzeros"}) {
    // In Options it means that the data decide.
    if (given(name) == 0) throw InvalidOptions(std::string(name) + " is 0, must be at least 1");
  }
}

}  // namespace

void OptionFlags::add(CLI::App& command, std::initializer_list<const char*> only) {
  const Options defaults;
  for (const OptionText& text : option_texts()) {
    const std::string name = text.name;
    if (only.size() > 0 && std::find(only.begin(), only.end(), name) == only.end()) continue;
    visit_options(defaults, [&](const char* visited, const auto& field) {
      if (name != visited) return;
      using T = typename ValueOf<std::remove_cvref_t<decltype(field)>>::Type;
      CLI::Option* flag = nullptr;
      if constexpr (std::is_same_v<T, bool>) {
        const std::string on = flag_of(name);
        flag = command.add_flag(on + ",!--no-" + on.substr(2));
      } else {
        flag = command.add_option(flag_of(name));
        flag->type_name(value_label<T>(name));
      }
      flag->description(text.text)->group(text.group);
      // Commands that override what a model says have the model's value as default.
      if (only.size() == 0) flag->default_str(default_text(name));
      flags_[name] = flag;
    });
  }
}

Json OptionFlags::given() const {
  Json layer = Json::object();
  const Options defaults;
  visit_options(defaults, [&](const char* name, const auto& field) {
    if (!is_given(name)) return;
    const CLI::Option& flag = *flags_.at(name);
    using T = typename ValueOf<std::remove_cvref_t<decltype(field)>>::Type;
    if constexpr (std::is_same_v<T, bool>) {
      layer[name] = flag.template as<bool>();
    } else {
      layer[name] = flag_value<T>(flag_of(name), flag.results().front());
    }
  });
  return layer;
}

bool OptionFlags::is_given(const std::string& name) const {
  const auto found = flags_.find(name);
  return found != flags_.end() && found->second->count() > 0;
}

std::string OptionFlags::with_sources(const std::string& message,
                                      const Json& config,
                                      const std::string& config_path) const {
  std::string said;
  bool begins = true;  // a message may be several: "atoms is ...; passes is ..."
  bool about_flag = false;
  std::istringstream words(message);
  for (std::string word; std::getline(words, word, ' ');) {
    const std::size_t end = word.find_last_not_of(",;") + 1;
    const std::string name = word.substr(0, end);
    if (begins) about_flag = is_given(name);
    // Other names without _ may be plain words: lambda, memory.
    const bool is_option = flags_.contains(name) && (begins || name.find('_') != name.npos);
    if (about_flag && is_option) word.replace(0, end, flag_of(name));
    if (begins && !about_flag && config.contains(name)) said += config_path + ": ";
    begins = word.ends_with(';');
    said += word + ' ';
  }
  said.resize(said.empty() ? 0 : said.size() - 1);
  return said;
}

void apply_layer(Options& options, Json layer) {
  check_layer(layer);
  if (layer.contains("scale")) {
    const bool unit = layer["scale"] == "unit";
    if (unit) layer.erase("scale");
    // A document that options_to_json() wrote has both.
    if (!layer.contains("scale_to_unit")) layer["scale_to_unit"] = unit;
    if (unit) layer["scale"] = 1.0;
  }
  if (layer.contains("memory_limit") && layer["memory_limit"].is_string()) {
    layer["memory_limit"] = bytes_value("memory_limit", layer["memory_limit"]);
  }
  const bool lambda = layer.contains("lambda") && !layer["lambda"].is_null();
  const bool nonzeros = layer.contains("code_nonzeros") && !layer["code_nonzeros"].is_null();
  if (lambda && !nonzeros) layer["code_nonzeros"] = nullptr;
  if (nonzeros && !lambda) layer["lambda"] = nullptr;
  if (layer.contains("half_life") && !layer.contains("memory")) {
    layer["memory"] = name_of(MemoryKind::HalfLife);
  }
  options = io::options_from_json(json_text(layer), options);
  if (options.memory.memory != MemoryKind::HalfLife) {
    if (layer.contains("half_life") && options.memory.half_life != 0) {
      throw InvalidOptions("half_life needs the memory half-life, not " +
                           std::string(name_of(options.memory.memory)));
    }
    options.memory.half_life = 0;  // of a layer below, whose memory this one replaced
  }
}

void require_valid(const Options& options) {
  std::string all;
  for (const std::string& violation : violations(options)) {
    all += (all.empty() ? "" : "; ") + violation;
  }
  if (!all.empty()) throw InvalidOptions(all);
}

}  // namespace nodl::cli
