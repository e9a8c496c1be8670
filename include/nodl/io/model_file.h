// Model files: docs/FORMAT.md.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "nodl/model.h"

namespace nodl::io {

/// Atomically; throws ResourceError and leaves what was there. The bytes depend on the model alone.
/// A model without memories (see has_training_state()) is written without training state.
template <class Scalar>
void save_model(const Model<Scalar>& model, const std::string& path);

/// The bytes that save_model() puts into a file.
template <class Scalar>
void write_model(const Model<Scalar>& model, std::ostream& out);

/// Checks every byte against its checksum. Throws ModelError.
AnyModel load_model(const std::string& path);

/// Whether the model can learn on. A file without training state gives a model with empty memories:
/// it encodes, decodes and evaluates.
template <class Scalar>
bool has_training_state(const Model<Scalar>& model) {
  return model.memory.A().rows() == model.dictionary.size();
}

/// What a model file is made of.
struct ModelSection {
  std::string name;
  std::string type;  // as NumPy writes it: <f8, <f4, <i8, <i4
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH3, 64 bits
};
struct ModelFileInfo {
  int version = 0;
  std::int64_t bytes = 0;
  std::vector<ModelSection> sections;
};
/// Checks every byte against its checksum. Throws ModelError.
ModelFileInfo inspect_model(const std::string& path);

/// The options as JSON text under the names of visit_options().
std::string options_to_json(const Options& options);
/// Options that the text does not name are those of `base`. Throws InvalidOptions for a name that
/// is no option and for a value of the wrong kind; ranges are for violations() to judge.
Options options_from_json(const std::string& text, const Options& base = {});

}  // namespace nodl::io
