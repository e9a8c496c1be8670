#include "picture_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/random.h"
#include "output_checks.h"
#include "studies/picture.h"

namespace nodl::cli {
namespace {

namespace fs = std::filesystem;

/// In lower case.
std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

bool looks_like_a_picture(const fs::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

/// All pictures of the folder in the order of their names, so that no file system decides.
std::vector<fs::path> pictures_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->is_regular_file() && looks_like_a_picture(file->path()))
      files.push_back(file->path());
  }
  if (error) throw DataError(folder + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> pictures_listed(const std::string& list, const std::string& folder) {
  std::ifstream file(list);
  if (!file) throw DataError(list + ": cannot be read");
  std::vector<fs::path> files;
  for (std::string name; std::getline(file, name);) {
    if (!name.empty() && name.back() == '\r') name.pop_back();
    if (!name.empty()) files.push_back(fs::path(folder) / name);
  }
  return files;
}

std::vector<fs::path> chosen(const PictureOptions& options) {
  if (!options.list.empty()) return pictures_listed(options.list, options.folder);
  std::vector<fs::path> files = pictures_in(options.folder);
  if (options.train == 0) return files;
  Random random(options.seed, Purpose::ChooseSamples);
  for (std::size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[random.below(i)]);
  return files;
}

/// Bytes, as the pictures are: an eighth of what float64 takes.
void write_bytes(const std::string& path,
                 const std::vector<std::vector<std::uint8_t>>& rows,
                 int columns) {
  std::string header = fmt::format(
      "{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}), }}", rows.size(), columns);
  header.resize(128 - 10 - 1, ' ');  // the data begins at a multiple of 64
  header += '\n';
  io::write_atomically(path, [&](std::ostream& out) {
    out << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size()) << '\0' << header;
    for (const auto& row : rows) {
      out.write(reinterpret_cast<const char*>(row.data()),
                static_cast<std::streamsize>(row.size()));
    }
  });
}

std::string file_name(const std::string& pattern, const std::string& split) {
  const std::size_t at = pattern.find("{}");
  if (at != pattern.npos) return std::string(pattern).replace(at, 2, split);
  fs::path path = pattern;
  const std::string extension = path.extension().string();
  return (path.parent_path() / (path.stem().string() + "_" + split + extension)).string();
}

}  // namespace

PictureReport write_pictures(const PictureOptions& options) {
  require_name(options.output, {".npy"});
  PictureReport report;
  const std::vector<fs::path> files = chosen(options);
  const std::size_t wanted =
      options.train > 0 ? static_cast<std::size_t>(options.train + options.test) : files.size();
  std::vector<std::vector<std::uint8_t>> rows;
  for (const fs::path& file : files) {
    if (rows.size() == wanted) break;
    try {
      rows.push_back(
          study::grey(study::resized(study::read_picture(file), options.width, options.height)));
    } catch (const DataError& error) {
      report.skipped.emplace_back(error.what());
    }
  }
  if (rows.empty()) throw DataError(options.folder + ": no picture that can be read");
  if (options.train > 0 && rows.size() < wanted) {
    throw DataError(fmt::format("{}: expected {} pictures that can be read, found {}",
                                options.folder,
                                wanted,
                                rows.size()));
  }
  const int columns = options.width * options.height;
  const auto write = [&](const std::string& path, auto first, auto last) {
    write_bytes(path, {first, last}, columns);
    report.written.emplace_back(path, last - first);
  };
  if (options.train == 0) {
    write(options.output, rows.begin(), rows.end());
  } else {
    write(file_name(options.output, "train"), rows.begin(), rows.begin() + options.train);
    write(file_name(options.output, "test"), rows.begin() + options.train, rows.end());
  }
  return report;
}

}  // namespace nodl::cli
