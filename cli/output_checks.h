// Outputs that would take the place of something that is still needed.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace nodl::cli {

/// A file that a run writes, and the flag that named it.
struct NamedOutput {
  std::string flag;
  std::string path;  // empty: not written
};

/// Throws InvalidOptions if an output is one of the inputs, or two outputs are one file.
void require_separate(const std::vector<NamedOutput>& outputs,
                      const std::vector<std::string>& inputs);

/// Throws InvalidOptions unless the name ends like one of these, in capitals or not.
void require_name(const std::string& path, std::initializer_list<const char*> endings);

/// An output that cannot be written must not be found out after hours of work: begins to write it
/// and gives up, which leaves what is there. Throws ResourceError.
void require_writable(const std::string& path);

}  // namespace nodl::cli
