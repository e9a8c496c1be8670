// nodl info: what a model file holds.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <type_traits>
#include <variant>

#include "commands.h"
#include "json_output.h"
#include "model_summary.h"
#include "nodl/io/model_file.h"
#include "table.h"

namespace nodl::cli {
namespace {

struct InfoSettings {
  std::string model;
  bool json = false;
  bool verify = false;
};

template <class Scalar>
Json document(const Model<Scalar>& model, const io::ModelFileInfo& file) {
  Json sections = Json::array();
  for (const io::ModelSection& section : file.sections) {
    sections.push_back({{"name", section.name},
                        {"type", section.type},
                        {"shape", {section.rows, section.cols}},
                        {"bytes", section.bytes},
                        {"checksum", fmt::format("{:016x}", section.checksum)}});
  }
  return {{"format_version", file.version},
          {"bytes", file.bytes},
          {"precision", name_of(precision_of(model))},
          {"dimension", model.dictionary.dimension()},
          {"atoms", model.dictionary.size()},
          {"atoms_alive", model.dictionary.alive()},
          {"sparse_atoms", model.dictionary.sparse_size()},
          {"training_state", io::has_training_state(model)},
          {"method", name_of(method_of(model.options))},
          {"options", options_document(model.options)},
          {"progress", progress_document(model.progress)},
          {"stream",
           {{"samples", model.stream.all.samples},
            {"hash", fmt::format("{:016x}", model.stream.all.hash)},
            {"last_batch_samples", model.stream.last_batch.samples},
            {"last_batch_hash", fmt::format("{:016x}", model.stream.last_batch.hash)}}},
          {"sections", sections}};
}

template <class Scalar>
void print_for_people(const Model<Scalar>& model, const io::ModelFileInfo& file, bool verify) {
  const Dictionary<Scalar>& D = model.dictionary;
  const Progress& progress = model.progress;
  fmt::print("file       format version {}, {}, {}\n",
             file.version,
             bytes(static_cast<double>(file.bytes)),
             io::has_training_state(model) ? "with training state" : "without training state");
  fmt::print("atoms      {} of {} numbers ({}), {} alive, {} stored sparse\n",
             grouped(D.size()),
             grouped(D.dimension()),
             name_of(precision_of(model)),
             grouped(D.alive()),
             grouped(D.sparse_size()));
  fmt::print("learned    {} in {}, {} born, {} died{}\n",
             counted(progress.samples, "sample", "samples"),
             counted(progress.batches, "batch", "batches"),
             grouped(progress.births),
             grouped(progress.deaths),
             progress.finished ? "" : "; the run is not finished");
  fmt::print("method     {}\n", name_of(method_of(model.options)));
  fmt::print("options\n{}", options_table(model.options));
  if (!verify) return;
  Table sections({"section", "type", "shape", "bytes", "checksum"});
  for (const io::ModelSection& section : file.sections) {
    sections.add({section.name,
                  section.type,
                  fmt::format("{} x {}", section.rows, section.cols),
                  grouped(section.bytes),
                  fmt::format("{:016x}", section.checksum)});
  }
  fmt::print("\n{}every checksum is right\n", sections.text());
}

void run(const InfoSettings& settings) {
  // Both check all checksums; --verify shows them.
  const AnyModel any = io::load_model(settings.model);
  const io::ModelFileInfo file = io::inspect_model(settings.model);
  std::visit(
      [&](const auto& model) {
        if (settings.json) {
          Json json = document(model, file);
          if (settings.verify) json["verified"] = true;
          print_json(json);
        } else {
          print_for_people(model, file, settings.verify);
        }
      },
      any);
}

}  // namespace

void add_info(CLI::App& app) {
  auto settings = std::make_shared<InfoSettings>();
  CLI::App& command = *app.add_subcommand("info", "What a model file holds.");
  command.add_option("FILE", settings->model, "Model file.")->required();
  command.add_flag("--json", settings->json, "Print all of it as JSON.");
  command.add_flag("--verify", settings->verify, "Check every checksum and show the sections.");
  command.footer("Example: nodl info m.nodl --verify");
  command.callback([settings] { run(*settings); });
}

}  // namespace nodl::cli
