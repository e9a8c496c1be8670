#include "json_output.h"

#include <fmt/core.h>

namespace nodl::cli {

void print_json(const Json& json) { fmt::print("{}\n", json_text(json, 2)); }

}  // namespace nodl::cli
