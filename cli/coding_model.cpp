#include "coding_model.h"

#include <CLI/CLI.hpp>
#include <variant>

#include "nodl/io/model_file.h"

namespace nodl::cli {

void CodingModel::add(CLI::App& command) {
  command.add_option("--model", path, "Model file, as `nodl train` wrote it.")
      ->type_name("FILE")
      ->required()
      ->group("Files");
  flags.add(command, kCodingFlags);
}

AnyModel CodingModel::load() const {
  AnyModel any = io::load_model(path);
  std::visit(
      [&](auto& model) {
        flags.naming_sources([&] {
          apply_layer(model.options, flags.given());
          require_valid(model.options);
        });
      },
      any);
  return any;
}

}  // namespace nodl::cli
