#include "io/array_reader.h"
#include "io/readers.h"

namespace nodl::io {

std::unique_ptr<SampleReader> open_npy(const std::string& path, const ReadOptions& options) {
  MappedFile file(path, options);
  NpyArray array = parse_npy(file.bytes(), path);
  return make_array_reader(std::move(file), std::move(array), path, options);
}

}  // namespace nodl::io
