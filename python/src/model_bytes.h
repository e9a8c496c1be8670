// A model as the bytes of its file, without a file: what a pickle holds.
#pragma once

#include <string>

#include "nodl/model.h"

namespace nodl::python {

template <class Scalar>
std::string bytes_of_model(const Model<Scalar>& model);
/// Throws ModelError.
AnyModel model_of_bytes(const std::string& bytes);

}  // namespace nodl::python
