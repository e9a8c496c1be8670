#include "run_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "json_output.h"
#include "nodl/error.h"

namespace nodl::cli {
namespace {

// `point` and the one that follows it, as one.
void join(RunPoint& point, const RunPoint& next) {
  const auto weight = static_cast<double>(next.samples) /
                      static_cast<double>(std::max<std::int64_t>(1, point.samples + next.samples));
  const auto mean = [&](double& value, double other) { value += weight * (other - value); };
  mean(point.pearson_before, next.pearson_before);
  mean(point.pearson_after, next.pearson_after);
  mean(point.code_nonzeros, next.code_nonzeros);
  point.last_batch = next.last_batch;
  point.samples += next.samples;
  point.born += next.born;
  point.died += next.died;
  point.denied += next.denied;
  point.atoms = next.atoms;
  point.atoms_alive = next.atoms_alive;
  point.sweeps += next.sweeps;
  point.not_converged += next.not_converged;
  point.seconds.resize(std::max(point.seconds.size(), next.seconds.size()));
  for (std::size_t i = 0; i < next.seconds.size(); ++i) point.seconds[i] += next.seconds[i];
}

// A list of ids, or how many.
std::int64_t count_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  if (found == event.end()) return 0;
  return found->is_array() ? static_cast<std::int64_t>(found->size()) : found->get<std::int64_t>();
}

RunPoint point_of(const Json& event, std::vector<std::string>& stages) {
  RunPoint point;
  point.first_batch = point.last_batch = event.at("batch").get<std::int64_t>();
  point.samples = event.at("samples").get<std::int64_t>();
  point.pearson_before = event.at("pearson_before").get<double>();
  point.pearson_after = event.at("pearson_after").get<double>();
  point.code_nonzeros = event.value("code_nonzeros", 0.0);
  point.born = count_of(event, "born");
  point.died = count_of(event, "died");
  point.denied = count_of(event, "denied");
  point.atoms = event.at("atoms").get<std::int64_t>();
  point.atoms_alive = event.value("atoms_alive", point.atoms);
  point.sweeps = event.value("sweeps", std::int64_t{0});
  point.not_converged = event.value("converged", true) ? 0 : 1;
  if (const auto seconds = event.find("seconds"); seconds != event.end()) {
    for (const auto& [stage, value] : seconds->items()) {
      auto at = std::find(stages.begin(), stages.end(), stage);
      if (at == stages.end()) at = stages.insert(at, stage);
      const auto i = static_cast<std::size_t>(at - stages.begin());
      if (point.seconds.size() <= i) point.seconds.resize(i + 1);
      point.seconds[i] = value.get<double>();
    }
  }
  return point;
}

// Keeps the number of points bounded: when there are too many, neighbours become one.
class PointList {
 public:
  explicit PointList(RunHistory& history) : history_(history) {}

  void add(const RunPoint& point) {
    std::vector<RunPoint>& points = history_.points;
    // A resumed run tells again what came after its checkpoint.
    while (!points.empty() && points.back().last_batch >= point.first_batch) points.pop_back();
    if (!points.empty() && points.back().batches() < history_.batches_per_point) {
      join(points.back(), point);
      return;
    }
    if (points.size() == RunHistory::kMaxPoints) {
      for (std::size_t i = 0; i < points.size() / 2; ++i) {
        points[i] = points[2 * i];
        join(points[i], points[2 * i + 1]);
      }
      points.resize(points.size() / 2);
      history_.batches_per_point *= 2;
    }
    points.push_back(point);
  }

 private:
  RunHistory& history_;
};

void note_input(RunHistory& history, const std::string& name, std::int64_t batch) {
  std::vector<RunInput>& inputs = history.inputs;
  while (!inputs.empty() && inputs.back().first_batch >= batch) inputs.pop_back();
  if (!inputs.empty() && inputs.back().name == name) {
    inputs.back().last_batch = batch;
  } else if (inputs.size() < RunHistory::kMaxInputs) {
    inputs.push_back({name, batch, batch});
  }
}

}  // namespace

RunPoint RunHistory::total() const {
  RunPoint sum;
  if (points.empty()) return sum;
  sum = points.front();
  for (std::size_t i = 1; i < points.size(); ++i) join(sum, points[i]);
  return sum;
}

RunHistory read_events(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
  RunHistory history;
  PointList points(history);
  std::int64_t deaths = 0;
  std::string line;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    const bool cut_short = file.eof();  // no end of line
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    try {
      const Json event = Json::parse(line);
      const std::string kind = event.at("event").get<std::string>();
      if (kind == "batch") {
        const RunPoint point = point_of(event, history.stages);
        points.add(point);
        if (const auto input = event.find("input"); input != event.end()) {
          note_input(history, input->get<std::string>(), point.last_batch);
        }
      } else if (kind == "death") {
        ++deaths;
        const double age = event.value("age_batches", 0.0);
        history.age_at_death += (age - history.age_at_death) / static_cast<double>(deaths);
      }
    } catch (const Json::exception& error) {
      if (cut_short) break;
      throw DataError(fmt::format("{}, line {}: expected an event of `nodl train --events`: {}",
                                  path,
                                  number,
                                  complaint(error)));
    }
  }
  if (file.bad()) throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (history.points.empty()) {
    throw DataError(fmt::format("{}: no batch in it, expected the events of a run", path));
  }
  for (RunPoint& point : history.points) point.seconds.resize(history.stages.size());
  return history;
}

}  // namespace nodl::cli
