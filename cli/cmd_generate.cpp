// nodl generate: seeded streams to try things on.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "commands.h"
#include "enum_option.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/synthetic.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

struct GenerateOptions {
  std::string output;
  std::optional<SyntheticKind> kind;
  SyntheticOptions stream;
  Index samples = 100;
  Index test = 100;
};

void generate(const GenerateOptions& options) {
  SyntheticOptions stream = options.stream;
  stream.kind = options.kind.value_or(stream.kind);
  // Made before anything is written: wrong options leave no folder behind.
  struct File {
    std::string name;
    Matrix<double> samples;
  };
  std::vector<File> files;
  const char* const domains[] = {"first", "second"};
  for (Index domain = 0; domain < 2; ++domain) {
    files.push_back({fmt::format("{}_train.npy", domains[domain]),
                     synthetic_samples(stream, domain, Split::Train, 0, options.samples)});
    files.push_back({fmt::format("{}_test.npy", domains[domain]),
                     synthetic_samples(stream, domain, Split::Test, 0, options.test)});
  }

  const std::filesystem::path folder = options.output;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw ResourceError(fmt::format("{}: {}", options.output, error.message()));
  for (const File& file : files) io::write_rows((folder / file.name).string(), file.samples);
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* generate_command = app.add_subcommand("generate", "Seeded streams to try things on.");
  generate_command->require_subcommand(1);
  CLI::App* command = generate_command->add_subcommand(
      "two-domain", "Two domains with disjoint supports: {first,second}_{train,test}.npy.");
  command->footer(
      "Domain one lives on the first half of the coordinates, domain two on the second half.\n"
      "\n"
      "Example:\n"
      "  nodl generate two-domain --output data --kind latent --samples 1000\n"
      "  nodl train data/first_train.npy data/second_train.npy --model m.nodl");
  auto options = std::make_shared<GenerateOptions>();
  command->add_option("--output", options->output, "Folder to write to; made if missing.")
      ->required()
      ->type_name("DIR");
  add_enum(*command,
           "--kind",
           options->kind,
           "paper: independent samples of ones, as in Sec. 4.2. latent: each domain has its own "
           "hidden dictionary.")
      ->default_str("paper");
  command->add_option("--seed", options->stream.seed, "Of all random numbers.")
      ->type_name("N")
      ->check(whole_number<std::uint64_t>(0))
      ->capture_default_str();
  command->add_option("--samples", options->samples, "Training samples per domain.")
      ->type_name("N")
      ->check(whole_number<Index>(1))
      ->capture_default_str();
  command->add_option("--test", options->test, "Test samples per domain.")
      ->type_name("N")
      ->check(whole_number<Index>(1))
      ->capture_default_str();
  command->add_option("--dimension", options->stream.dimension, "Coordinates of a sample.")
      ->type_name("N")
      ->check(whole_number<Index>(1))
      ->capture_default_str();
  command
      ->add_option("--nonzeros",
                   options->stream.nonzeros,
                   "Nonzeros of a sample (latent: about that many, and small noise).")
      ->type_name("N")
      ->check(whole_number<Index>(1))
      ->capture_default_str();
  command->callback([options] { generate(*options); });
}

}  // namespace nodl::cli
