// Model files: docs/FORMAT.md.
#pragma once

#include <string>

#include "nodl/model.h"

namespace nodl::io {

/// Atomically; throws ResourceError and leaves what was there. The bytes depend on the model alone.
template <class Scalar>
void save_model(const Model<Scalar>& model, const std::string& path);

/// Checks every byte against its checksum. Throws ModelError.
AnyModel load_model(const std::string& path);

/// The options as JSON text under the names of visit_options().
std::string options_to_json(const Options& options);
Options options_from_json(const std::string& text);  // throws InvalidOptions

}  // namespace nodl::io
