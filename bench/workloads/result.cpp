#include "result.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace nodl::bench {
namespace {

constexpr double kMebi = 1 << 20;

std::string stages(const Result& result) {
  const StageSeconds& s = result.cpu_seconds;
  const double all = all_stages(s);
  if (!(all > 0)) return "";
  return fmt::format("{:.0f}/{:.0f}/{:.0f}/{:.0f}/{:.0f}",
                     100 * s.code / all,
                     100 * s.birth / all,
                     100 * s.memory / all,
                     100 * s.update / all,
                     100 * s.other / all);
}

}  // namespace

void add(StageSeconds& sum, const StageSeconds& part) {
  sum.code += part.code;
  sum.birth += part.birth;
  sum.memory += part.memory;
  sum.update += part.update;
  sum.other += part.other;
}

double all_stages(const StageSeconds& s) {
  return s.code + s.birth + s.memory + s.update + s.other;
}

nlohmann::json to_json(const Result& r) {
  if (!r.skipped.empty()) return {{"id", r.id}, {"what", r.what}, {"skipped", r.skipped}};
  nlohmann::json json = {{"id", r.id},
                         {"what", r.what},
                         {"settings", r.settings},
                         {"dimension", r.dimension},
                         {"atoms", r.atoms},
                         {"atoms_left", r.atoms_left},
                         {"samples", r.samples},
                         {"cpu_seconds", r.seconds.cpu},
                         {"wall_seconds", r.seconds.wall},
                         {"us_per_sample", r.microseconds()},
                         {"stage_cpu_seconds",
                          {{"code", r.cpu_seconds.code},
                           {"birth", r.cpu_seconds.birth},
                           {"memory", r.cpu_seconds.memory},
                           {"update", r.cpu_seconds.update},
                           {"other", r.cpu_seconds.other}}},
                         {"sweeps", r.sweeps},
                         {"code_nonzeros", r.code_nonzeros},
                         {"heap_bytes", r.heap},
                         {"heap_allowed_bytes", r.heap_allowed},
                         {"gemm_share", r.gemm_share},
                         {"model_us_per_sample", r.model},
                         {"more", r.more}};
  json["objective"] = std::isnan(r.objective) ? nlohmann::json() : nlohmann::json(r.objective);
  return json;
}

std::string table(const std::vector<Result>& results) {
  std::string text =
      fmt::format("{:3} {:7} {:>6} {:>5} {:>7} {:>9} {:>8} {:>8} {:>16} {:>9} {:>6} {:>15}\n",
                  "",
                  "",
                  "m",
                  "k",
                  "samples",
                  "us/sample",
                  "CPU s",
                  "wall s",
                  "c/b/m/u/o %",
                  "objective",
                  "nnz",
                  "heap MiB (of)");
  for (const Result& r : results) {
    if (!r.skipped.empty()) {
      text += fmt::format("{:3} {:7} skipped: {}\n", r.id, r.what, r.skipped);
      continue;
    }
    text +=
        fmt::format("{:3} {:7} {:6} {:5} {:7} {:9.2f} {:8.3f} {:8.3f} {:>16} {:>9} {:6.1f} {:7.1f}",
                    r.id,
                    r.what,
                    r.dimension,
                    r.atoms,
                    r.samples,
                    r.microseconds(),
                    r.seconds.cpu,
                    r.seconds.wall,
                    stages(r),
                    std::isnan(r.objective) ? "" : fmt::format("{:.5f}", r.objective),
                    r.code_nonzeros,
                    r.heap / kMebi);
    if (r.heap_allowed > 0) text += fmt::format(" ({:.1f})", r.heap_allowed / kMebi);
    text += '\n';
    const auto line = [&](const char* name, const std::map<std::string, double>& values) {
      if (values.empty()) return;
      text += fmt::format("      {}:", name);
      for (const auto& [key, value] : values) text += fmt::format(" {} {:.4g}", key, value);
      text += '\n';
    };
    line("share of GEMM rate", r.gemm_share);
    line("cost model, us/sample", r.model);
    line("more", r.more);
  }
  return text;
}

}  // namespace nodl::bench
