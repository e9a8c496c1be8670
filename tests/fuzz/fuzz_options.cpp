// Any text as options: options, or InvalidOptions, and nothing else.
#include <cstdint>
#include <string>

#include "nodl/error.h"
#include "nodl/io/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    nodl::io::options_to_json(nodl::io::options_from_json(text));
  } catch (const nodl::InvalidOptions&) {
  }
  return 0;
}
