// Options as JSON: model files, config files and reports use the same names and values.
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "nodl/error.h"
#include "nodl/io/model_file.h"

namespace nodl::io {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json to_json(const char* name, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<T, double>) {
    // JSON has no infinity; written as null it could not be read back.
    if (!std::isfinite(value)) throw InvalidOptions(std::string(name) + " is not finite");
    return value;
  } else {
    return value;
  }
}

template <class T>
Json to_json(const char* name, const std::optional<T>& value) {
  return value ? to_json(name, *value) : Json(nullptr);
}

[[noreturn]] void refuse(const std::string& name, const std::string& expected, const Json& value) {
  throw InvalidOptions(name + " must be " + expected + ", not " + value.dump());
}

void from_json(const std::string& name, const Json& value, bool& field) {
  if (!value.is_boolean()) refuse(name, "true or false", value);
  field = value.get<bool>();
}

void from_json(const std::string& name, const Json& value, double& field) {
  if (!value.is_number()) refuse(name, "a number", value);
  field = value.get<double>();
}

void from_json(const std::string& name, const Json& value, Index& field) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) refuse(name, "an integer", value);
  field = value.get<Index>();
}

void from_json(const std::string& name, const Json& value, std::uint64_t& field) {
  if (!value.is_number_unsigned()) refuse(name, "an integer of at least 0", value);
  field = value.get<std::uint64_t>();
}

template <class Enum>
requires std::is_enum_v<Enum>
void from_json(const std::string& name, const Json& value, Enum& field) {
  const auto found = value.is_string() ? enum_named<Enum>(value.get<std::string>()) : std::nullopt;
  if (!found) {
    std::string names;
    for (const auto& entry : EnumNames<Enum>::table) {
      names += (names.empty() ? "" : "|") + std::string(entry.second);
    }
    refuse(name, names, value);
  }
  field = *found;
}

template <class T>
void from_json(const std::string& name, const Json& value, std::optional<T>& field) {
  field.reset();
  if (value.is_null()) return;
  from_json(name, value, field.emplace());
}

}  // namespace

std::string options_to_json(const Options& options) {
  Json json = Json::object();
  visit_options(options,
                [&](const char* name, const auto& field) { json[name] = to_json(name, field); });
  return json.dump();
}

Options options_from_json(const std::string& text, const Options& base) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw InvalidOptions("options must be one JSON object");
  Options options = base;
  visit_options(options, [&](const char* name, auto& field) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    from_json(name, *found, field);
    json.erase(found);
  });
  if (!json.empty()) throw InvalidOptions("unknown option " + json.begin().key());
  return options;
}

}  // namespace nodl::io
