// nodl prepare: pictures and texts as the matrices that the paper's evaluation needs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "output_checks.h"
#include "picture_rows.h"
#include "studies/cooccurrence.h"
#include "table.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

struct TextOptions {
  std::vector<std::string> files;
  std::vector<std::string> general;
  int window = 5;
  int least_words = 4;
  std::string output;
  std::string vocabulary;
};

/// Throws DataError for a file that is plainly no text: its letters would be counted as words.
/// Pipes are not looked at, because what is read from them is gone.
void require_text(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  std::string begin(std::size_t{1} << 16, ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  constexpr std::string_view kGzip = "\x1f\x8b";  // is unpacked
  constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
  constexpr const char* kExpected = ": expected text, plain or as .gz, found ";
  if (begin.starts_with(kGzip)) return;
  if (begin.starts_with(kZstd)) throw DataError(path + kExpected + "zstd");
  const std::size_t nul = begin.find('\0');
  if (nul == begin.npos) return;
  throw DataError(fmt::format("{}{}the byte 0 at place {}", path, kExpected, nul + 1));
}

/// Where the list of words goes.
std::string vocabulary_of(const TextOptions& options) {
  if (!options.vocabulary.empty()) return options.vocabulary;
  return std::filesystem::path(options.output).replace_filename("vocabulary.tsv").string();
}

/// What can be known to go wrong before the texts are read.
void check_files(const TextOptions& options) {
  require_name(options.output, {".mtx", ".npz"});
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), options.general.begin(), options.general.end());
  const std::string list = vocabulary_of(options);
  require_separate({{"--output", options.output}, {"--vocabulary", list}}, inputs);
  for (const std::string& input : inputs) require_text(input);
  require_writable(options.output);
  require_writable(list);
}

void prepare_text(const TextOptions& options) {
  check_files(options);
  study::CooccurrenceCounter counter(options.window);
  for (const std::string& file : options.general) {
    study::read_words(
        file, options.least_words, [&](const std::string& word) { counter.exclude(word); });
  }
  std::int64_t words = 0;
  for (const std::string& file : options.files) {
    const std::string source = std::filesystem::path(file).stem().string();
    study::read_words(file, options.least_words, [&](const std::string& word) {
      counter.add(word, source);
      ++words;
    });
  }
  if (counter.vocabulary().empty()) throw DataError("no word is left to count");
  const SparseMatrix<double> matrix = counter.matrix();
  const auto writer = io::RowWriter::create(options.output, matrix.rows);
  writer->write(matrix.view());
  writer->finish();
  const std::string list = vocabulary_of(options);
  io::write_atomically(list, [&](std::ostream& out) {
    std::size_t number = 0;
    for (const auto& [word, source] : counter.vocabulary()) {
      out << ++number << '\t' << word << '\t' << source << '\n';
    }
  });
  fmt::print("{} words, {} different ones counted, {} nonzeros: {}, {}\n",
             grouped(words),
             grouped(matrix.rows),
             grouped(matrix.nonzeros()),
             options.output,
             list);
}

void prepare_images(const PictureOptions& options) {
  const PictureReport report = write_pictures(options);
  for (const std::string& line : report.skipped) fmt::print(stderr, "nodl: skipped {}\n", line);
  for (const auto& [file, rows] : report.written) {
    fmt::print("{} pictures of {}x{}: {}\n", grouped(rows), options.width, options.height, file);
  }
}

void add_images(CLI::App& prepare) {
  CLI::App* command = prepare.add_subcommand("images", "A folder of pictures to one .npy.");
  command->footer(
      "Each picture is squeezed to the size as it is (bicubic, antialiased), made grey, and "
      "becomes\n"
      "one row of bytes. Pictures that cannot be read are named and left out.\n"
      "\n"
      "Example:\n"
      "  nodl prepare images photos --size 32x32 --output photos.npy\n"
      "  nodl prepare images photos --size 32x32 --train 1900 --test 1900 --output "
      "'photos_{}_32.npy'");
  auto options = std::make_shared<PictureOptions>();
  auto size = std::make_shared<std::string>();
  command->add_option("DIR", options->folder, "Folder, with all below it: .jpg, .jpeg, .png.")
      ->required();
  command->add_option("--size", *size, "Width and height in pixels.")->type_name("WxH")->required();
  command
      ->add_option("--output",
                   options->output,
                   "A .npy file; with --train and --test {} in it becomes train and test.")
      ->type_name("FILE")
      ->required();
  command->add_option("--train", options->train, "Pictures drawn for a training file.")
      ->type_name("N")
      ->check(whole_number(1));
  command->add_option("--test", options->test, "Other pictures, for a test file.")
      ->type_name("N")
      ->check(whole_number(1));
  command->add_option("--seed", options->seed, "Of the draw.")
      ->type_name("N")
      ->check(whole_number<std::uint64_t>(0))
      ->capture_default_str();
  command
      ->add_option("--list",
                   options->list,
                   "File with one name a line: these pictures, in this order, without a draw.")
      ->type_name("FILE");
  command->callback([options, size] {
    char end = 0;
    if (std::sscanf(size->c_str(), "%dx%d%c", &options->width, &options->height, &end) != 2 ||
        options->width < 1 || options->height < 1 || options->width > 10000 ||
        options->height > 10000) {
      throw InvalidOptions("--size must be WxH, as in 32x32, not " + *size);
    }
    if ((options->train > 0) != (options->test > 0)) {
      throw InvalidOptions("--train and --test go together");
    }
    prepare_images(*options);
  });
}

void add_text(CLI::App& prepare) {
  CLI::App* command =
      prepare.add_subcommand("text", "Texts to a matrix of words that stand near each other.");
  command->footer(
      "Entry (i, j) counts how often word j stands within the window around word i, itself\n"
      "included. Only ASCII letters and spaces of a line are kept. Words of the general texts are\n"
      "not counted, but take their place in the window.\n"
      "\n"
      "Example:\n"
      "  nodl prepare text book.txt other.txt.gz --general novel.txt --output cooccurrence.mtx");
  auto options = std::make_shared<TextOptions>();
  command->add_option("FILE", options->files, "Texts, one stream in this order; also .gz.")
      ->required();
  command
      ->add_option("--general",
                   options->general,
                   "Texts whose words are left out: all names up to the next flag.")
      ->type_name("FILE...");
  command->add_option("--window", options->window, "Places to each side.")
      ->type_name("N")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command->add_option("--least-words", options->least_words, "Shorter lines are left out.")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--output", options->output, "Matrix (.mtx, .npz).")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--vocabulary",
                   options->vocabulary,
                   "Number, word and first text of each row; vocabulary.tsv beside the matrix if "
                   "not given.")
      ->type_name("FILE");
  command->callback([options] { prepare_text(*options); });
}

}  // namespace

void add_prepare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("prepare", "Pictures or texts to the matrices of the paper's evaluation.");
  command->require_subcommand(1);
  add_images(*command);
  add_text(*command);
}

}  // namespace nodl::cli
