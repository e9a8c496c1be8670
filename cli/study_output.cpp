#include "study_output.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "nodl/error.h"
#include "studies/run_cache.h"

namespace nodl::cli {
namespace {

using study::Json;

std::vector<study::Study> studies_of(const StudySetting& setting) {
  std::vector<study::Study> studies = study::all_studies(setting.quick);
  std::erase_if(studies, [&](const study::Study& study) {
    return std::count(setting.studies.begin(), setting.studies.end(), study.id) == 0;
  });
  return studies;
}

Json to_json(const StudySetting& setting) {
  return {{"studies", setting.studies},
          {"presets", setting.presets},
          {"seeds", setting.seeds},
          {"quick", setting.quick},
          {"left_out", setting.left_out}};
}

StudySetting setting_from(const Json& json) {
  StudySetting setting;
  json.at("studies").get_to(setting.studies);
  json.at("presets").get_to(setting.presets);
  json.at("seeds").get_to(setting.seeds);
  json.at("quick").get_to(setting.quick);
  json.at("left_out").get_to(setting.left_out);
  return setting;
}

}  // namespace

std::vector<study::PlannedRun> planned(const StudySetting& setting) {
  return study::plan(studies_of(setting), setting.presets, setting.seeds);
}

StudyOutput::StudyOutput(const StudySetting& setting,
                         const std::vector<std::string>& keys,
                         const std::map<std::string, study::RunResult>& by_key) {
  const study::Results results(studies_of(setting), planned(setting), keys, by_key);
  claims = study::judge(results);
  Json all = results.to_json();
  all["setting"] = to_json(setting);
  all["runs"] = keys;
  for (const study::ClaimResult& claim : claims) all["claims"].push_back(study::to_json(claim));
  document = all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  html = study_page(results, claims, setting);
}

StudyOutput read_study_output(const std::filesystem::path& folder) {
  const std::string name = (folder / "results.json").string();
  std::ifstream file(name);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw DataError(name + ": cannot be read; expected what nodl reproduce writes");
  }
  try {
    const Json json = Json::parse(text.str());
    const StudySetting setting = setting_from(json.at("setting"));
    const auto keys = json.at("runs").get<std::vector<std::string>>();
    if (keys.size() != planned(setting).size()) {
      throw DataError(name + ": was made by a version of nodl with other studies");
    }
    const study::RunCache cache(folder / "runs");
    std::map<std::string, study::RunResult> by_key;
    for (const std::string& key : keys) {
      std::optional<study::RunResult> run = cache.find(key);
      if (!run) throw DataError(folder.string() + ": lacks the run " + key);
      by_key[key] = std::move(*run);
    }
    return {setting, keys, by_key};
  } catch (const Json::exception& error) {
    throw DataError(name + ": " + error.what());
  }
}

}  // namespace nodl::cli
