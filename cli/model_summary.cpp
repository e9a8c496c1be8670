#include "model_summary.h"

#include <fmt/core.h>

#include "nodl/io/model_file.h"

namespace nodl::cli {

Json options_document(const Options& options) { return Json::parse(io::options_to_json(options)); }

std::string options_table(const Options& options) {
  const Json usual = options_document(preset(Preset::Paper));
  const Json all = options_document(options);
  std::string text;
  for (const auto& [name, value] : all.items()) {
    if (value.is_null()) continue;
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    text += fmt::format("  {} {:<27}{}\n", value == usual.at(name) ? ' ' : '*', name, shown);
  }
  return text + "  * differs from the preset paper, or was derived from the data\n";
}

Json progress_document(const Progress& progress) {
  return {{"batches", progress.batches},
          {"samples", progress.samples},
          {"births", progress.births},
          {"deaths", progress.deaths},
          {"next_id", progress.next_id},
          {"finished", progress.finished}};
}

}  // namespace nodl::cli
