#include "option_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
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

/// Text that is no number stays text, for options_from_json() to refuse with the option's name.
template <class T>
Json number_or_text(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return text;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return text;
  }
  return value;
}

template <class T>
Json json_value(const std::string& text) {
  if constexpr (std::is_enum_v<T>) {
    return text;
  } else {
    return number_or_text<T>(text);
  }
}

/// "512M" as a number of bytes.
Json bytes_of(const Json& size) {
  if (!size.is_string()) return size;
  const std::string text = size.get<std::string>();
  constexpr std::string_view kUnits = "KMGT";
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::size_t unit = end - stop == 1 ? kUnits.find(*stop) : std::string_view::npos;
  const bool known = stop == end || unit != std::string_view::npos;
  if (stop != end && known) value *= std::exp2(10.0 * static_cast<double>(unit + 1));
  if (error != std::errc() || !known || !(value >= 0 && value < 0x1p63)) {
    throw InvalidOptions("memory_limit must be a size such as 512M or 2G, not " + size.dump());
  }
  return static_cast<std::int64_t>(value);
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
    const auto found = flags_.find(name);
    if (found == flags_.end() || found->second->count() == 0) return;
    using T = typename ValueOf<std::remove_cvref_t<decltype(field)>>::Type;
    if constexpr (std::is_same_v<T, bool>) {
      layer[name] = found->second->template as<bool>();
    } else {
      layer[name] = json_value<T>(found->second->results().front());
    }
  });
  return layer;
}

void apply_layer(Options& options, Json layer) {
  if (layer.contains("scale")) {
    const bool unit = layer["scale"] == "unit";
    if (unit) layer.erase("scale");
    // A document that options_to_json() wrote has both.
    if (!layer.contains("scale_to_unit")) layer["scale_to_unit"] = unit;
    if (unit) layer["scale"] = 1.0;
  }
  if (layer.contains("memory_limit")) layer["memory_limit"] = bytes_of(layer["memory_limit"]);
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
