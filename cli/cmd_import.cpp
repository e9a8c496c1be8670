// nodl import: a model from a plain dictionary.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "enum_option.h"
#include "input_flags.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "nodl/io/sample_stream.h"
#include "nodl/slots.h"
#include "option_flags.h"
#include "output_checks.h"
#include "table.h"

namespace nodl::cli {
namespace {

constexpr Index kBlock = 1024;  // atoms read at a time

struct ImportSettings {
  std::string dictionary;
  std::string output;
  std::optional<Precision> precision;
  OptionFlags flags;
  InputFlags input_flags;
};

std::vector<AtomRecord> new_records(Index first_id, Index count) {
  std::vector<AtomRecord> records(static_cast<std::size_t>(count));
  for (Index j = 0; j < count; ++j) records[j].id = first_id + j;
  return records;
}

template <class Scalar>
void append(SparseMatrix<Scalar>& atoms, const SparseColumns<Scalar>& block) {
  for (Index j = 0; j < block.cols; ++j) {
    for (Index p = block.starts[j]; p < block.starts[j + 1]; ++p) {
      atoms.push(block.indices[p], block.values[p]);
    }
    atoms.end_column();
  }
}

/// Sparse files give sparse atoms, dense files dense ones; values stay as they are.
template <class Scalar>
Dictionary<Scalar> read_dictionary(io::SampleReader& reader) {
  Dictionary<Scalar> dictionary(reader.dimension());
  SparseMatrix<Scalar> sparse;
  sparse.rows = reader.dimension();
  io::SampleBuffer<Scalar> buffer;
  while (true) {
    const Batch<Scalar> batch = reader.read(kBlock, buffer);
    if (batch.samples() == 0) break;
    if (batch.is_sparse()) {
      append(sparse, batch.columns());
    } else {
      dictionary.append(batch.matrix(), new_records(dictionary.size(), batch.samples()));
    }
  }
  const Index atoms = sparse.cols();
  if (atoms == 0) return dictionary;
  return {std::move(sparse), Matrix<Scalar>(dictionary.dimension(), 0), new_records(0, atoms)};
}

template <class Scalar>
void import_dictionary(const ImportSettings& settings, Options options) {
  io::ReadOptions read = settings.input_flags.read_options();
  read.largest = io::largest_usable<Scalar>({});
  const std::string path = input_path(settings.dictionary, read);
  require_separate({{"--output", settings.output}}, {path});
  const auto reader = io::open_samples(path, read);
  Model<Scalar> model;
  model.dictionary = read_dictionary<Scalar>(*reader);
  const Index atoms = model.dictionary.size();
  if (atoms == 0) throw DataError(shown_input(path) + ": not one atom in the input; see --rows");
  const Index dimension = model.dictionary.dimension();
  options.atoms = atoms;
  model.options = resolve(options, dimension);
  model.memory = Memory(dimension, atoms);
  model.progress.next_id = atoms;
  model.progress.finished = true;
  assign_slots(model.dictionary.records(), model.progress, model.options.birth.max_atoms);
  model.initialised = true;
  io::save_model(model, settings.output);
  fmt::print("{} atoms of {} numbers, unchanged\n", grouped(atoms), grouped(dimension));
}

void run(const ImportSettings& settings) {
  Options options = preset(Preset::Paper);
  settings.flags.naming_sources([&] {
    apply_layer(options, settings.flags.given());
    require_valid(options);
  });
  if (settings.precision == Precision::Float32) {
    import_dictionary<float>(settings, options);
  } else {
    import_dictionary<double>(settings, options);
  }
}

}  // namespace

void add_import(CLI::App& app) {
  auto settings = std::make_shared<ImportSettings>();
  CLI::App& command = *app.add_subcommand("import", "A model from a plain dictionary.");
  command.description(
      "A model from a plain dictionary, to encode with or to train on (nodl train --from).");
  command
      .add_option("DICTIONARY",
                  settings->dictionary,
                  "Atoms, one a row, in any format that samples may have. Their values are kept.")
      ->required();
  command.add_option("--output", settings->output, "The model file.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  settings->flags.add(command, kCodingFlags);
  settings->flags.add(command, {"center", "scale"});
  add_enum(command, "--precision", settings->precision, "Precision of the model.")
      ->default_str("float64");
  settings->input_flags.add(command);
  command.footer("Example: nodl import D.npy --output m.nodl --atom-norm raw --coder omp");
  command.callback([settings] { run(*settings); });
}

}  // namespace nodl::cli
