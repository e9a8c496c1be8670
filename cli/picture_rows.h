// A folder of pictures as rows of a .npy file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nodl::cli {

struct PictureOptions {
  std::string folder;
  int width = 0;
  int height = 0;
  std::string output;
  int train = 0;  // 0: all pictures into one file
  int test = 0;
  std::uint64_t seed = 0;
  std::string list;  // names in order; empty: all of the folder
};

struct PictureReport {
  std::vector<std::string> skipped;                           // what could not be read, and why
  std::vector<std::pair<std::string, std::int64_t>> written;  // files and their rows
};

/// Throws InvalidOptions where the output is no .npy, DataError where there are too few pictures.
PictureReport write_pictures(const PictureOptions& options);

}  // namespace nodl::cli
