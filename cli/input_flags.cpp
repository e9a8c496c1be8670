#include "input_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "nodl/error.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

constexpr std::array<std::pair<std::string_view, io::Format>, 8> kFormats = {
    {{"auto", io::Format::Auto},
     {"npy", io::Format::Npy},
     {"csv", io::Format::Csv},
     {"tsv", io::Format::Tsv},
     {"mtx", io::Format::Mtx},
     {"npz", io::Format::Npz},
     {"svm", io::Format::Svmlight},
     {"raw", io::Format::Raw}}};
constexpr const char* kFormatNames = "npy|csv|tsv|mtx|npz|svm|raw";

io::RowRange row_range(const std::string& text) {
  try {
    return io::parse_row_range(text);
  } catch (const InvalidOptions& error) {
    throw InvalidOptions(std::string("--") + error.what());  // "rows: expected ..."
  }
}

}  // namespace

const char* const kInputHelp =
    "Samples, one a row: .npy, .csv, .tsv, .mtx, .npz (scipy sparse), .svm, .raw; text also as .gz "
    "or .zst; a folder or a quoted pattern is its files by name; - is standard input (with "
    "--format).";

void InputFlags::add(CLI::App& command) {
  constexpr const char* group = "Inputs";
  command.add_option("--rows", rows, "Only these samples of each input, as a slice in Python.")
      ->type_name("START:STOP:STEP")
      ->group(group);
  command.add_flag("--transpose", transpose, "Samples are columns of the file.")->group(group);
  command.add_option("--format", format, "The inputs' format, where the name does not tell.")
      ->type_name(kFormatNames)
      ->group(group);
  command.add_option("--dtype", dtype, "Numbers of raw input: f4, f8, u1, >i2, float32, ...")
      ->type_name("TYPE")
      ->group(group);
  command
      .add_option(
          "--columns",
          columns,
          "Numbers a row of raw input; of .csv and .tsv, where the first row may not be "
          "right; the largest index of .svm input. Where it is not given, a model tells it; "
          "without one, .svm is read twice.")
      ->type_name("N")
      ->check(whole_number<Index>(1, INT32_MAX))
      ->group(group);
  command
      .add_option(
          "--missing",
          missing,
          "What an empty field of .csv and .tsv, or NA, NaN, null or ? in it, is taken for.")
      ->type_name("error|zero")
      ->default_str("error")
      ->group(group);
}

io::ReadOptions InputFlags::read_options() const {
  io::ReadOptions read;
  const auto* found = std::find_if(
      kFormats.begin(), kFormats.end(), [&](const auto& entry) { return entry.first == format; });
  if (found == kFormats.end()) {
    throw InvalidOptions(std::string("--format must be ") + kFormatNames + ", not " + format);
  }
  read.format = found->second;
  read.transpose = transpose;
  if (!rows.empty()) read.rows = row_range(rows);
  read.dtype = dtype;
  read.columns = columns;
  if (missing != "error" && missing != "zero") {
    throw InvalidOptions("--missing must be error|zero, not " + missing);
  }
  read.missing = missing == "zero" ? io::Missing::Zero : io::Missing::Error;
  return read;
}

void add_threads(CLI::App& command, int& threads) {
  command
      .add_option(
          "--threads", threads, "Threads; the result is the same for any number. 0: all cores.")
      ->type_name("N")
      ->check(whole_number(0, 4096))
      ->default_str("0");
}

}  // namespace nodl::cli
