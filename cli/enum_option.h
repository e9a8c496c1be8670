// A flag whose values are the names of an enum.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "nodl/error.h"
#include "nodl/options.h"

namespace nodl::cli {

template <class Enum>
std::string names_of() {
  std::string names;
  for (const auto& entry : EnumNames<Enum>::table) {
    names += (names.empty() ? "" : "|") + std::string(entry.second);
  }
  return names;
}

/// Throws InvalidOptions that names the flag.
template <class Enum>
Enum enum_value(const std::string& flag, const std::string& text) {
  const std::optional<Enum> value = enum_named<Enum>(text);
  if (!value) throw InvalidOptions(flag + " must be " + names_of<Enum>() + ", not " + text);
  return *value;
}

template <class Enum>
CLI::Option* add_enum(CLI::App& command,
                      const std::string& flag,
                      std::optional<Enum>& value,
                      const std::string& description) {
  const auto set = [flag, &value](const std::string& text) {
    value = enum_value<Enum>(flag, text);
  };
  return command.add_option_function<std::string>(flag, set, description)
      ->type_name(names_of<Enum>());
}

}  // namespace nodl::cli
