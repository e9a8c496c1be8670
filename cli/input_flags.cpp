#include "input_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "nodl/error.h"

namespace nodl::cli {
namespace {

constexpr std::array<std::pair<std::string_view, io::Format>, 6> kFormats = {
    {{"auto", io::Format::Auto},
     {"npy", io::Format::Npy},
     {"csv", io::Format::Csv},
     {"tsv", io::Format::Tsv},
     {"mtx", io::Format::Mtx},
     {"npz", io::Format::Npz}}};

}  // namespace

const char* const kInputHelp =
    "Samples, one a row: .npy, .csv, .tsv, .mtx, .npz (scipy sparse); text also as .gz; - is "
    "text on standard input (with --format).";

void InputFlags::add(CLI::App& command) {
  constexpr const char* group = "Inputs";
  command.add_option("--rows", rows, "Only these samples of each input, as a slice in Python.")
      ->type_name("START:STOP:STEP")
      ->group(group);
  command.add_flag("--transpose", transpose, "Samples are columns of the file.")->group(group);
  command.add_option("--format", format, "The inputs' format, where the name does not tell.")
      ->type_name("npy|csv|tsv|mtx|npz")
      ->group(group);
}

io::ReadOptions InputFlags::read_options() const {
  io::ReadOptions read;
  const auto* found = std::find_if(
      kFormats.begin(), kFormats.end(), [&](const auto& entry) { return entry.first == format; });
  if (found == kFormats.end()) {
    throw InvalidOptions("format must be npy|csv|tsv|mtx|npz, not " + format);
  }
  read.format = found->second;
  read.transpose = transpose;
  if (!rows.empty()) read.rows = io::parse_row_range(rows);
  return read;
}

std::vector<std::string> input_paths(const std::vector<std::string>& inputs,
                                     const io::ReadOptions& read) {
  if (std::find(inputs.begin(), inputs.end(), "-") == inputs.end()) return inputs;
  if (read.format == io::Format::Auto) throw InvalidOptions("standard input (-) needs --format");
  if (inputs.size() > 1) throw InvalidOptions("standard input (-) must be the only input");
  return {"/dev/stdin"};
}

void add_threads(CLI::App& command, int& threads) {
  command
      .add_option(
          "--threads", threads, "Threads; the result is the same for any number. 0: all cores.")
      ->type_name("N")
      ->check(CLI::Range(0, 4096).description(""))
      ->default_str("0");
}

}  // namespace nodl::cli
