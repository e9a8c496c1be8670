// Any bytes as a model file: a model, or ModelError, and nothing else.
#include "memory_file.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const nodl::fuzz::MemoryFile file(data, size);
  try {
    nodl::io::load_model(file.path());
  } catch (const nodl::ModelError&) {
  }
  return 0;
}
