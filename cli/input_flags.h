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
  std::string dtype;
  std::string missing = "error";
  Index columns = 0;
  bool transpose = false;

  void add(CLI::App& command);
  /// Throws InvalidOptions.
  io::ReadOptions read_options() const;
};

/// What every INPUT may be; for help texts.
extern const char* const kInputHelp;

/// The inputs as files to open: `-` is standard input, a folder its files with known names, a
/// pattern what it matches, both sorted by the bytes of their names. Throws InvalidOptions where
/// flags do not suit any of them, and where a pipe is not the only one, because a stream looks at
/// all its inputs before it reads them; DataError where a folder or pattern gives no file.
std::vector<std::string> input_paths(const std::vector<std::string>& inputs,
                                     const io::ReadOptions& read);
/// The same for a command that takes one file.
std::string input_path(const std::string& input, const io::ReadOptions& read);
/// What the user called the file: `-` for standard input.
std::string shown_input(const std::string& path);
/// Throws InvalidOptions if the inputs are to be read again, and one of them cannot be.
void require_readable_again(const std::vector<std::string>& paths,
                            const io::ReadOptions& read,
                            Index passes);
/// Throws InvalidOptions if an evaluation set, which is opened before and read after the learning,
/// is a pipe.
void require_readable_again(const std::string& eval_path);

void add_threads(CLI::App& command, int& threads);

}  // namespace nodl::cli
