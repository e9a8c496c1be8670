// A model to code with: the file's, with the coding flags of the command over it.
#pragma once

#include <string>

#include "cli11_fwd.h"
#include "nodl/model.h"
#include "option_flags.h"

namespace nodl::cli {

struct CodingModel {
  std::string path;
  OptionFlags flags;

  /// --model and the flags that override how it codes.
  void add(CLI::App& command);
  /// Throws ModelError, InvalidOptions.
  AnyModel load() const;
};

}  // namespace nodl::cli
