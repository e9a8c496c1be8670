// Parts of a model as JSON and as text, for `train` and `info`.
#pragma once

#include <string>
#include <type_traits>

#include "json_output.h"
#include "nodl/model.h"

namespace nodl::cli {

template <class Scalar>
constexpr Precision precision_of(const Model<Scalar>&) {
  return std::is_same_v<Scalar, double> ? Precision::Float64 : Precision::Float32;
}

Json options_document(const Options& options);
/// One line an option, those that differ from the preset `paper` marked.
std::string options_table(const Options& options);
Json progress_document(const Progress& progress);

}  // namespace nodl::cli
