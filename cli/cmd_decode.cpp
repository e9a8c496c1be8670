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

/// One code of a batch as atoms and values of its nonzeros; returns the mean, if it has one.
template <class Scalar>
Scalar nonzeros_of(const Batch<Scalar>& batch,
                   Index i,
                   const CodeColumns& columns,
                   std::vector<RowIndex>& indices,
                   std::vector<Scalar>& values) {
  indices.clear();
  values.clear();
  Scalar mean = 0;
  const auto push = [&](Index column, Scalar value) {
    if (value == 0) return;
    if (column == columns.width()) {
      mean = value;
      return;
    }
    if (columns.atom(column) < 0) {
      throw DataError(fmt::format("a code uses column {}, which has no atom", column + 1));
    }
    indices.push_back(static_cast<RowIndex>(columns.atom(column)));
    values.push_back(value);
  };
  if (batch.is_sparse()) {
    const auto& codes = batch.columns();
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      push(codes.indices[p], codes.values[p]);
    }
  } else {
    for (Index row = 0; row < batch.dimension(); ++row) push(row, batch.sample(i)[row]);
  }
  return mean;
}

/// Reconstructions of the codes of a batch, one a column. `first`: codes before it.
template <class Scalar>
void decode_batch(const CodingDictionary<Scalar>& dictionary,
                  const CodeColumns& columns,
                  const Batch<Scalar>& batch,
                  Index first,
                  Matrix<Scalar>& samples) {
  samples.setZero(dictionary.dimension(), batch.samples());
  std::vector<RowIndex> indices;
  std::vector<Scalar> values;
  for (Index i = 0; i < batch.samples(); ++i) {
    Scalar constant = nonzeros_of(batch, i, columns, indices, values);
    const auto count = static_cast<Index>(indices.size());
    constant += dictionary.synthesize(count, indices.data(), values.data(), samples.col(i).data());
    samples.col(i).array() += constant;
    if (samples.col(i).allFinite()) continue;
    throw DataError(fmt::format("code {}: its sample would not be finite", first + i + 1));
  }
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
  io::SampleBuffer<Scalar> buffer;
  Matrix<Scalar> samples;
  Index count = 0;
  while (true) {
    const Batch<Scalar> batch = reader->read(kBlock, buffer);
    if (batch.samples() == 0) break;
    try {
      decode_batch(dictionary, columns, batch, count, samples);
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
