// nodl decode: samples back from codes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "code_layout.h"
#include "coding_stream.h"
#include "commands.h"
#include "input_flags.h"
#include "interruption.h"
#include "json_output.h"
#include "nodl/coding_dictionary.h"
#include "nodl/decode.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/io/model_file.h"
#include "option_flags.h"
#include "output_checks.h"
#include "table.h"

namespace nodl::cli {
namespace {

constexpr Index kBlock = 1024;  // codes decoded at a time

struct DecodeSettings {
  std::string codes;
  std::string model;
  std::string output;
  OptionFlags flags;
  InputFlags input_flags;
  std::optional<Layout> layout;
  bool json = false;
};

/// The atom of each column of codes; -1: none now.
std::vector<RowIndex> atoms_of(const CodeColumns& columns) {
  std::vector<RowIndex> atoms;
  for (Index column = 0; column < columns.width(); ++column) {
    atoms.push_back(static_cast<RowIndex>(columns.atom(column)));
  }
  return atoms;
}

template <class Scalar>
Index decode_codes(Model<Scalar>& model,
                   const std::string& codes,
                   const DecodeSettings& settings,
                   io::ReadOptions read) {
  const AtomNorm norm = model.options.coding.atom_norm;
  const CodingDictionary<Scalar> dictionary(model.dictionary, norm);
  const CodeColumns columns(model, settings.layout);
  const bool centered = norm == AtomNorm::Centered;
  const Index expected = columns.width() + (centered ? 1 : 0);
  read.model_columns = expected;
  const auto reader = io::open_samples(codes, read);
  if (reader->dimension() != expected) {
    throw ShapeMismatch(fmt::format("{}: codes have {} columns, the model's have {} ({} {}{})",
                                    settings.codes,
                                    reader->dimension(),
                                    expected,
                                    columns.width(),
                                    settings.layout == Layout::Slots ? "slots" : "atoms",
                                    centered ? " and the mean" : ""));
  }
  const auto writer = io::RowWriter::create(settings.output, dictionary.dimension());
  const std::vector<RowIndex> atoms = atoms_of(columns);
  io::SampleBuffer<Scalar> buffer;
  Matrix<Scalar> samples;
  Index count = 0;
  while (true) {
    const Batch<Scalar> batch = reader->read(kBlock, buffer);
    if (batch.samples() == 0) break;
    try {
      decode<Scalar>(dictionary, atoms, batch, count, samples);
    } catch (const DataError& error) {
      throw DataError(settings.codes + ": " + error.what());
    }
    writer->write(ConstMatrixView<Scalar>(
        samples.data(), samples.rows(), samples.cols(), Eigen::OuterStride<>(samples.rows())));
    count += batch.samples();
    stop_if_interrupted(settings.output);
  }
  stop_if_interrupted(settings.output);  // it may have ended the input
  require_samples(codes, count);
  writer->finish();
  return count;
}

void run(const DecodeSettings& settings) {
  const SignalWatch signals;
  io::ReadOptions read = settings.input_flags.read_options();
  read.interrupted = [] { return SignalWatch::received() != 0; };
  const std::string codes = input_path(settings.codes, read);
  require_separate({{"--output", settings.output}}, {codes, settings.model});
  AnyModel any = io::load_model(settings.model);
  const Index count = std::visit(
      [&](auto& model) {
        apply_layer(model.options, settings.flags.given());
        try {
          return decode_codes(model, codes, settings, read);
        } catch (const DataError&) {
          stop_if_interrupted(settings.output);  // an input that a signal ended may look broken
          throw;
        }
      },
      any);
  if (settings.json) {
    print_json({{"samples", count}});
  } else {
    fmt::print("{} samples reconstructed\n", grouped(count));
  }
}

}  // namespace

void add_decode(CLI::App& app) {
  auto settings = std::make_shared<DecodeSettings>();
  CLI::App& command = *app.add_subcommand("decode", "Reconstructions from codes.");
  command.add_option("CODES", settings->codes, "Codes as `nodl encode` wrote them, one a row.")
      ->required();
  command.add_option("--model", settings->model, "The model that coded them.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  command
      .add_option("--output",
                  settings->output,
                  "Reconstructions of the (centred, scaled) samples: .npy, .csv, .tsv, .mtx, .npz.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  settings->flags.add(command, {"atom_norm"});
  add_layout(command, settings->layout);
  settings->input_flags.add(command);
  command.add_flag("--json", settings->json, "Print the number of samples as JSON.");
  command.footer("Example: nodl decode codes.npz --model m.nodl --output x.npy");
  command.callback([settings] { run(*settings); });
}

}  // namespace nodl::cli
