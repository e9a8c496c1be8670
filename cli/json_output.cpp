#include "json_output.h"

#include <fmt/core.h>

namespace nodl::cli {

std::string complaint(const Json::exception& error) {
  const std::string what = error.what();
  const std::size_t label = what.starts_with("[json.exception.") ? what.find("] ") : what.npos;
  return label == what.npos ? what : what.substr(label + 2);
}

void print_json(const Json& json) { fmt::print("{}\n", json_text(json, 2)); }

}  // namespace nodl::cli
