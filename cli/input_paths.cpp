// From what the user calls inputs to the files that are opened.
#include <fmt/core.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "input_flags.h"
#include "nodl/error.h"

namespace nodl::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "/dev/stdin";

/// Sorted by bytes, whatever the locale: the same stream everywhere.
std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || io::format_by_name(name) == io::Format::Auto) continue;
    if (!fs::is_directory(entry.path())) files.push_back(entry.path().string());
  }
  if (error) throw DataError(folder + ": cannot be read: " + error.message());
  if (files.empty()) throw DataError(folder + ": holds no file with the name of a known format");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> files_of_pattern(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status != 0 || files.empty()) throw DataError(pattern + ": no file matches");
  std::sort(files.begin(), files.end());
  return files;
}

void expand(const std::string& input, std::vector<std::string>& paths) {
  std::error_code ignored;
  const bool exists = fs::exists(input, ignored);
  if (input == "-") {
    paths.emplace_back(kStandardInput);
  } else if (exists && fs::is_directory(input, ignored)) {
    for (std::string& file : files_of_folder(input)) paths.push_back(std::move(file));
  } else if (!exists && input.find_first_of("*?[") != std::string::npos) {
    for (const std::string& file : files_of_pattern(input)) expand(file, paths);
  } else {
    paths.push_back(input);
  }
}

/// What is read is gone.
bool is_pipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// A file as standard input is opened anew, from its beginning: who has read a part of it before
/// us meant that part to be left out.
void require_unread_standard_input() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const off_t place = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (place <= 0) return;
  throw InvalidOptions(fmt::format(
      "-: {} bytes of the file were read already; pipe the rest (cat | nodl ...) or see --rows",
      place));
}

/// No flag is taken and then ignored.
void require_use(const std::vector<std::string>& paths, const io::ReadOptions& read) {
  using io::Format;
  const auto any = [&](std::initializer_list<Format> formats) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      const Format format = read.format == Format::Auto ? io::format_by_name(path) : read.format;
      return std::find(formats.begin(), formats.end(), format) != formats.end();
    });
  };
  if (!read.dtype.empty() && !any({Format::Raw})) throw InvalidOptions("--dtype is for raw input");
  if (read.columns > 0 && !any({Format::Raw, Format::Svmlight, Format::Csv, Format::Tsv})) {
    throw InvalidOptions(
        "--columns is for raw, .svm, .csv and .tsv input; other formats tell it themselves");
  }
  if (read.missing != io::Missing::Error && !any({Format::Csv, Format::Tsv})) {
    throw InvalidOptions("--missing is for .csv and .tsv input");
  }
}

}  // namespace

std::vector<std::string> input_paths(const std::vector<std::string>& inputs,
                                     const io::ReadOptions& read) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) expand(input, paths);
  for (const std::string& path : paths) {
    if (path == kStandardInput && read.format == io::Format::Auto) {
      throw InvalidOptions("standard input (-) needs --format");
    }
    if (path == kStandardInput) require_unread_standard_input();
    if (paths.size() > 1 && (path == kStandardInput || is_pipe(path))) {
      throw InvalidOptions(shown_input(path) + ": a pipe must be the only input");
    }
  }
  require_use(paths, read);
  return paths;
}

std::string input_path(const std::string& input, const io::ReadOptions& read) {
  const std::vector<std::string> paths = input_paths({input}, read);
  if (paths.size() == 1) return paths.front();
  throw InvalidOptions(fmt::format("{}: expected one file, found {}", input, paths.size()));
}

std::string shown_input(const std::string& path) { return path == kStandardInput ? "-" : path; }

void require_readable_again(const std::vector<std::string>& paths,
                            const io::ReadOptions& read,
                            Index passes) {
  if (passes <= 1) return;
  if (read.follow) {
    throw InvalidOptions(fmt::format("--follow never ends a pass, passes is {}", passes));
  }
  for (const std::string& path : paths) {
    if (path != kStandardInput && !is_pipe(path)) continue;
    throw InvalidOptions(
        fmt::format("{} can be read only once, passes is {}", shown_input(path), passes));
  }
}

void require_readable_again(const std::string& eval_path) {
  if (!is_pipe(eval_path)) return;
  throw InvalidOptions(fmt::format("{} can be read only once, --eval opens it twice", eval_path));
}

}  // namespace nodl::cli
