// The flags that say how inputs are read, and with how many threads the work is done.
#pragma once

#include <string>
#include <vector>

#include "cli11_fwd.h"
#include "nodl/io/sample_reader.h"

namespace nodl::cli {

struct InputFlags {
  std::string rows;
  std::string format = "auto";
  bool transpose = false;

  void add(CLI::App& command);
  /// Throws InvalidOptions.
  io::ReadOptions read_options() const;
};

/// What every INPUT may be; for help texts.
extern const char* const kInputHelp;

/// The inputs as files to open: `-` is standard input, whose format must be given and which must
/// be alone, because a stream looks at all its inputs before it reads them. Throws InvalidOptions.
std::vector<std::string> input_paths(const std::vector<std::string>& inputs,
                                     const io::ReadOptions& read);

void add_threads(CLI::App& command, int& threads);

}  // namespace nodl::cli
