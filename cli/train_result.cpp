// What `nodl train` says at the end.
#include <fmt/core.h>

#include <algorithm>

#include "model_summary.h"
#include "table.h"
#include "train_run.h"

namespace nodl::cli {
namespace {

Json wall_seconds(const TrainSeconds& seconds) {
  return {{"total", seconds.total.wall},
          {"read", seconds.read.wall},
          {"learn", seconds.learn.wall},
          {"code", seconds.stages.code},
          {"birth", seconds.stages.birth},
          {"memory", seconds.stages.memory},
          {"update", seconds.stages.update},
          {"other", seconds.stages.other},
          {"write", seconds.write.wall},
          {"evaluate", seconds.evaluate.wall}};
}

Json cpu_seconds(const TrainSeconds& seconds) {
  return {{"total", seconds.total.cpu},
          {"read", seconds.read.cpu},
          {"learn", seconds.learn.cpu},
          {"code", seconds.cpu_stages.code},
          {"birth", seconds.cpu_stages.birth},
          {"memory", seconds.cpu_stages.memory},
          {"update", seconds.cpu_stages.update},
          {"other", seconds.cpu_stages.other},
          {"write", seconds.write.cpu},
          {"evaluate", seconds.evaluate.cpu}};
}

std::string words(io::BadRowReason reason) {
  std::string text = to_string(reason);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Json bad_rows_document(const TrainResult& result) {
  Json counts = {{"total", result.bad_rows ? result.bad_rows->total() : 0}};
  for (const io::BadRowReason reason : io::kBadRowReasons) {
    counts[to_string(reason)] = result.bad_rows ? result.bad_rows->count(reason) : 0;
  }
  return counts;
}

void print_bad_rows(const io::BadRows& bad_rows) {
  std::string reasons;
  for (const io::BadRowReason reason : io::kBadRowReasons) {
    const Index count = bad_rows.count(reason);
    if (count == 0) continue;
    reasons += fmt::format("{}{} {}", reasons.empty() ? ": " : ", ", grouped(count), words(reason));
  }
  const std::string& file = bad_rows.file();
  fmt::print("bad rows {}{}{}\n",
             grouped(bad_rows.total()),
             reasons,
             bad_rows.total() == 0 || file.empty() ? "" : "; see " + file);
}

Json document(const TrainResult& result, const TrainSettings& settings) {
  Json evals = Json::array();
  for (const NamedEvaluation& evaluation : result.evals) evals.push_back(to_json(evaluation));
  const Progress& now = result.progress;
  const Progress& before = result.before;
  return {{"model", settings.model},
          {"samples", now.samples - before.samples},
          {"batches", now.batches - before.batches},
          {"bad_rows", bad_rows_document(result)},
          {"dimension", result.dimension},
          {"atoms", result.atoms},
          {"atoms_alive", result.atoms_alive},
          {"births", now.births - before.births},
          {"deaths", now.deaths - before.deaths},
          {"resumed_at_batch", result.resumed_at - before.batches},
          {"method", name_of(method_of(result.options))},
          {"precision", name_of(result.precision)},
          {"options", options_document(result.options)},
          {"progress", progress_document(now)},
          {"wall_seconds", wall_seconds(result.seconds)},
          {"cpu_seconds", cpu_seconds(result.seconds)},
          {"evals", evals}};
}

void print_for_people(const TrainResult& result, const TrainSettings& settings) {
  const Progress& now = result.progress;
  const Progress& before = result.before;
  const TrainSeconds& seconds = result.seconds;
  if (result.was_finished) {
    fmt::print("{} was finished; nothing left to do\n", settings.model);
  }
  fmt::print("learned  {} of {} numbers ({}, {}) in {}\n",
             counted(now.samples - before.samples, "sample", "samples"),
             grouped(result.dimension),
             result.sparse_input ? "sparse" : "dense",
             name_of(result.precision),
             counted(now.batches - before.batches, "batch", "batches"));
  if (result.bad_rows) print_bad_rows(*result.bad_rows);
  fmt::print("atoms    {} -> {} ({} alive), {} born, {} died\n",
             grouped(result.atoms_before),
             grouped(result.atoms),
             grouped(result.atoms_alive),
             grouped(now.births - before.births),
             grouped(now.deaths - before.deaths));
  if (result.pearson) fmt::print("Pearson  {:.4f} in the last batch\n", *result.pearson);
  fmt::print("time     {}: reading {}, coding {}, births {}, memory {}, update {}, other {}\n",
             duration(seconds.total.wall),
             duration(seconds.read.wall),
             duration(seconds.stages.code),
             duration(seconds.stages.birth),
             duration(seconds.stages.memory),
             duration(seconds.stages.update),
             duration(seconds.stages.other + seconds.write.wall + seconds.evaluate.wall));
  fmt::print("model    {}\n", settings.model);
  if (!result.evals.empty()) fmt::print("\n{}", to_table(result.evals));
}

}  // namespace

void print_train_result(const TrainResult& result, const TrainSettings& settings) {
  if (settings.json) {
    print_json(document(result, settings));
  } else {
    print_for_people(result, settings);
  }
}

}  // namespace nodl::cli
