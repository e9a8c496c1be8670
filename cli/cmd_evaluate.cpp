// nodl evaluate: how well a model represents inputs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "coding_model.h"
#include "coding_stream.h"
#include "commands.h"
#include "evaluation.h"
#include "input_flags.h"

namespace nodl::cli {
namespace {

struct EvaluateSettings {
  std::vector<std::string> inputs;
  InputFlags input_flags;
  CodingModel model;
  int threads = 0;
  bool json = false;
};

void run(const EvaluateSettings& settings) {
  const io::ReadOptions read = settings.input_flags.read_options();
  const std::vector<std::string> inputs = input_paths(settings.inputs, read);
  const AnyModel any = settings.model.load();
  ThreadPool pool(settings.threads);
  std::visit(
      [&](const auto& model) {
        std::vector<NamedEvaluation> evaluations;
        for (const std::string& input : inputs) {
          evaluations.emplace_back(shown_input(input), evaluate_input(model, input, read, pool));
          require_samples(input, evaluations.back().second.samples);
        }
        const Index atoms = model.dictionary.size();
        const Index alive = model.dictionary.alive();
        if (settings.json) {
          Json results = Json::array();
          for (const NamedEvaluation& evaluation : evaluations) {
            results.push_back(to_json(evaluation));
          }
          print_json({{"atoms", atoms}, {"atoms_alive", alive}, {"inputs", results}});
        } else {
          fmt::print("{} atoms, {} alive\n\n{}", atoms, alive, to_table(evaluations));
        }
      },
      any);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto settings = std::make_shared<EvaluateSettings>();
  CLI::App& command = *app.add_subcommand("evaluate", "How well a model represents samples.");
  command.add_option("INPUT", settings->inputs, kInputHelp)->required();
  settings->model.add(command);
  settings->input_flags.add(command);
  add_threads(command, settings->threads);
  command.add_flag("--json", settings->json, "Print the result as JSON.");
  command.footer("Example: nodl evaluate old.npy new.npy --model m.nodl");
  command.callback([settings] { run(*settings); });
}

}  // namespace nodl::cli
