// nodl export: the dictionary as a plain matrix.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "commands.h"
#include "nodl/coding_dictionary.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/io/model_file.h"
#include "output_checks.h"
#include "table.h"

namespace nodl::cli {
namespace {

struct ExportSettings {
  std::string model;
  std::string output;
  bool coding = false;
  bool slim = false;
};

template <class Scalar>
void export_dictionary(const Model<Scalar>& model, const ExportSettings& settings) {
  const Dictionary<Scalar>& D = model.dictionary;
  if (settings.coding) {
    const CodingDictionary<Scalar> atoms(D, model.options.coding.atom_norm);
    io::write_rows<Scalar>(settings.output, atoms.to_dense());
  } else {
    // Written in two parts, so that sparse atoms need no dense copy.
    const auto writer = io::RowWriter::create(settings.output, D.dimension());
    const Matrix<Scalar>& dense = D.dense_block();
    if (D.sparse_size() > 0) writer->write(D.sparse_block());
    if (dense.cols() > 0) {
      writer->write(ConstMatrixView<Scalar>(
          dense.data(), dense.rows(), dense.cols(), Eigen::OuterStride<>(dense.rows())));
    }
    writer->finish();
  }
  fmt::print("{} atoms of {} numbers written\n", grouped(D.size()), grouped(D.dimension()));
}

template <class Scalar>
void export_slim(Model<Scalar>& model, const ExportSettings& settings) {
  model.memory = Memory();
  io::save_model(model, settings.output);
  fmt::print("a model of {} atoms of {} numbers written, without training state\n",
             grouped(model.dictionary.size()),
             grouped(model.dictionary.dimension()));
}

}  // namespace

void add_export(CLI::App& app) {
  auto settings = std::make_shared<ExportSettings>();
  CLI::App& command = *app.add_subcommand("export", "The dictionary of a model as a matrix.");
  command.add_option("FILE", settings->model, "Model file.")->required();
  command
      .add_option("--output",
                  settings->output,
                  "The dictionary, one atom a row: .npy, .csv, .tsv, .npz, .mtx.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  auto* coding = command.add_flag(
      "--coding", settings->coding, "The atoms as coding uses them (--atom-norm).");
  command
      .add_flag(
          "--slim",
          settings->slim,
          "Write a model (.nodl) instead, without its training state: it encodes, but cannot learn "
          "on.")
      ->excludes(coding);
  command.footer("Example: nodl export m.nodl --output D.npy");
  command.callback([settings] {
    if (settings->slim) require_name(settings->output, {".nodl"});
    require_separate({{"--output", settings->output}}, {settings->model});
    AnyModel any = io::load_model(settings->model);
    std::visit(
        [&](auto& model) {
          if (settings->slim) {
            export_slim(model, *settings);
          } else {
            export_dictionary(model, *settings);
          }
        },
        any);
  });
}

}  // namespace nodl::cli
