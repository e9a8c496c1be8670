// JSON for other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace nodl::cli {

using Json = nlohmann::ordered_json;

/// File names need not be UTF-8; what is not is replaced, never thrown at the user. indent -1: one
/// line.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// What was wrong with a document, without the library's name for it.
std::string complaint(const Json::exception& error);

/// One document on stdout.
void print_json(const Json& json);

}  // namespace nodl::cli
