// nodl encode: sparse codes of samples.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "code_layout.h"
#include "coding_model.h"
#include "coding_stream.h"
#include "commands.h"
#include "input_flags.h"
#include "interruption.h"
#include "json_output.h"
#include "nodl/coding_dictionary.h"
#include "nodl/encoder.h"
#include "nodl/io/matrix_writer.h"
#include "output_checks.h"
#include "stopwatch.h"
#include "table.h"

namespace nodl::cli {
namespace {

struct EncodeSettings {
  std::string input;
  std::string output;
  InputFlags input_flags;
  CodingModel model;
  std::optional<Layout> layout;
  int threads = 0;
  bool json = false;
};

struct EncodeResult {
  Index samples = 0;
  Index atoms = 0;
  Index columns = 0;
  Index nonzeros = 0;
  bool has_means = false;  // in a last column
  Seconds total, read, code, write;
};

template <class Scalar>
double mean_of_sample(const Batch<Scalar>& batch, Index i) {
  double sum = 0;
  if (batch.is_sparse()) {
    const auto& samples = batch.columns();
    for (Index p = samples.starts[i]; p < samples.starts[i + 1]; ++p) sum += samples.values[p];
  } else {
    const Scalar* sample = batch.sample(i);
    for (Index r = 0; r < batch.dimension(); ++r) sum += sample[r];
  }
  return sum / static_cast<double>(batch.dimension());
}

/// The codes and one more row: the means, coefficients of an all-ones vector that centred atoms
/// cannot stand for.
template <class Scalar>
SparseMatrix<Scalar> with_means(const SparseMatrix<Scalar>& codes, const Batch<Scalar>& batch) {
  SparseMatrix<Scalar> extended;
  extended.rows = codes.rows + 1;
  for (Index i = 0; i < codes.cols(); ++i) {
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      extended.push(codes.indices[p], codes.values[p]);
    }
    const auto mean = static_cast<Scalar>(mean_of_sample(batch, i));
    if (mean != 0) extended.push(codes.rows, mean);
    extended.end_column();
  }
  return extended;
}

template <class Scalar>
void encode_input(Model<Scalar>& model,
                  const std::string& input,
                  const EncodeSettings& settings,
                  const io::ReadOptions& read,
                  EncodeResult& result) {
  const auto stream = coding_stream(model, input, read);
  const Options& options = model.options;
  const bool centered = options.coding.atom_norm == AtomNorm::Centered;
  const CodingDictionary<Scalar> dictionary(model.dictionary, options.coding.atom_norm);
  const CodeColumns columns(model, settings.layout);
  ThreadPool pool(settings.threads);
  result.atoms = dictionary.size();
  result.has_means = centered;
  result.columns = columns.width() + (centered ? 1 : 0);
  const auto writer = io::RowWriter::create(settings.output, result.columns);

  const auto next = [&] {
    const Stopwatch reading(result.read);
    return stream->next();
  };
  while (next()) {
    const Batch<Scalar>& batch = stream->batch();
    Codes<Scalar> codes;
    {
      const Stopwatch coding(result.code);
      codes = encode(dictionary, batch, options.coding, options.bisection, pool);
    }
    result.samples += codes.samples();
    result.nonzeros += codes.columns.nonzeros();
    const Stopwatch writing(result.write);
    const SparseMatrix<Scalar> laid_out = columns.spread(std::move(codes.columns));
    writer->write(centered ? with_means(laid_out, batch).view() : laid_out.view());
    stop_if_interrupted(settings.output);
  }
  stop_if_interrupted(settings.output);  // it may have ended the input
  require_samples(input, result.samples);
  const Stopwatch writing(result.write);
  writer->finish();
}

double mean_nonzeros(const EncodeResult& result) {
  return result.samples == 0
             ? 0
             : static_cast<double>(result.nonzeros) / static_cast<double>(result.samples);
}

void print(const EncodeResult& result, const EncodeSettings& settings) {
  if (settings.json) {
    const auto seconds = [&](double Seconds::*kind) {
      return Json{{"total", result.total.*kind},
                  {"read", result.read.*kind},
                  {"code", result.code.*kind},
                  {"write", result.write.*kind}};
    };
    print_json({{"samples", result.samples},
                {"atoms", result.atoms},
                {"columns", result.columns},
                {"code_nonzeros", mean_nonzeros(result)},
                {"wall_seconds", seconds(&Seconds::wall)},
                {"cpu_seconds", seconds(&Seconds::cpu)}});
    return;
  }
  fmt::print(
      "{} samples coded with {} atoms, {:.1f} nonzeros each, in {} (reading {}, coding {}, writing "
      "{})\n",
      grouped(result.samples),
      grouped(result.atoms),
      mean_nonzeros(result),
      duration(result.total.wall),
      duration(result.read.wall),
      duration(result.code.wall),
      duration(result.write.wall));
  if (result.has_means) {
    fmt::print("The last of the {} columns is the sample's mean.\n", grouped(result.columns));
  }
}

void run(const EncodeSettings& settings) {
  const SignalWatch signals;
  io::ReadOptions read = settings.input_flags.read_options();
  read.interrupted = [] { return SignalWatch::received() != 0; };
  const std::string input = input_path(settings.input, read);
  require_separate({{"--output", settings.output}}, {input, settings.model.path});
  EncodeResult result;
  {
    const Stopwatch total(result.total);
    AnyModel any = settings.model.load();
    try {
      std::visit([&](auto& model) { encode_input(model, input, settings, read, result); }, any);
    } catch (const DataError&) {
      stop_if_interrupted(settings.output);  // an input that a signal ended may look broken
      throw;
    }
  }
  print(result, settings);
}

}  // namespace

void add_encode(CLI::App& app) {
  auto settings = std::make_shared<EncodeSettings>();
  CLI::App& command = *app.add_subcommand("encode", "Sparse codes of samples.");
  command.add_option("INPUT", settings->input, kInputHelp)->required();
  settings->model.add(command);
  command
      .add_option("--output",
                  settings->output,
                  "Codes, one sample a row: .npz (CSR as scipy reads it), .mtx, .npy, .csv, .tsv. "
                  "With centered atoms the last column is the sample's mean.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  add_layout(command, settings->layout);
  settings->input_flags.add(command);
  add_threads(command, settings->threads);
  command.add_flag("--json", settings->json, "Print counts and seconds by stage as JSON.");
  command.footer("Example: nodl encode x.npy --model m.nodl --output codes.npz");
  command.callback([settings] { run(*settings); });
}

}  // namespace nodl::cli
