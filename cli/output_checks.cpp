#include "output_checks.h"

#include <fmt/core.h>

#include <filesystem>
#include <ostream>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::cli {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code none;
  if (fs::exists(a, none) && fs::exists(b, none)) {
    return fs::is_regular_file(a, none) && fs::equivalent(a, b, none);
  }
  return fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

}  // namespace

void require_separate(const std::vector<NamedOutput>& outputs,
                      const std::vector<std::string>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const std::string& input : inputs) {
      if (!is_same_file(output->path, input)) continue;
      throw InvalidOptions(
          fmt::format("{} would replace {}, which is an input", output->flag, input));
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!is_same_file(output->path, other->path)) continue;
      throw InvalidOptions(
          fmt::format("{} and {} are the same file {}", other->flag, output->flag, output->path));
    }
  }
}

void require_name(const std::string& path, std::initializer_list<const char*> endings) {
  std::string name = path;
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::string all;
  for (const char* ending : endings) {
    if (name.ends_with(ending)) return;
    all += (all.empty() ? "" : " or ") + std::string(ending);
  }
  throw InvalidOptions(path + ": expected a name that ends in " + all);
}

void require_writable(const std::string& path) {
  struct GiveUp {};
  try {
    io::write_atomically(path, [](std::ostream&) { throw GiveUp(); });
  } catch (const GiveUp&) {
    return;  // the temporary file is gone
  }
}

}  // namespace nodl::cli
