// The page of the paper's reproduction: verdicts first, then figure by figure.
#pragma once

#include <string>
#include <vector>

#include "studies/claims.h"

namespace nodl::cli {

/// What was asked for.
struct StudySetting {
  std::vector<std::string> studies;  // ids
  std::vector<std::string> presets;
  int seeds = 1;
  bool quick = false;
  std::vector<std::string> left_out;  // studies without data, a line each
};

std::string study_page(const study::Results& results,
                       const std::vector<study::ClaimResult>& claims,
                       const StudySetting& setting);

}  // namespace nodl::cli
