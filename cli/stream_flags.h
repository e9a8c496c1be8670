// The flags of streams that run on: what becomes of bad rows, and of the end of the input.
#pragma once

#include <string>

#include "cli11_fwd.h"
#include "nodl/io/sample_reader.h"

namespace nodl::cli {

struct StreamFlags {
  std::string bad_rows = "stop";
  std::string quarantine;
  bool follow = false;

  void add(CLI::App& command);
  /// Each flag for itself. Throws InvalidOptions.
  void check_values() const;
  /// Throws InvalidOptions. `model` is where the model goes: bad rows go beside it unless a file is
  /// named.
  void apply(io::ReadOptions& read, const std::string& model) const;
};

}  // namespace nodl::cli
