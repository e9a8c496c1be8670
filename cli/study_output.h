// The folder of a reproduction: results.json, report.html, runs/.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "study_page.h"

namespace nodl::cli {

/// Runs of the setting, in the order of their keys.
std::vector<study::PlannedRun> planned(const StudySetting& setting);

/// Results, verdicts and page of runs that are done; returns the verdicts.
struct StudyOutput {
  StudyOutput(const StudySetting& setting,
              const std::vector<std::string>& keys,
              const std::map<std::string, study::RunResult>& by_key);

  std::string document;  // results.json
  std::string html;
  std::vector<study::ClaimResult> claims;
};

/// From the folder alone, without running anything. Throws DataError if something is missing in it.
StudyOutput read_study_output(const std::filesystem::path& folder);

}  // namespace nodl::cli
