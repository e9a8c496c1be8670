// The page of the paper's reproduction: verdicts first, then figure by figure.
#pragma once

#include <string>
#include <vector>

#include "studies/claims.h"

namespace nodl::cli {

struct StudyPageSetting {
  bool quick = false;
  int seeds = 1;
  std::vector<std::string> left_out;  // studies without data, a line each
};

std::string study_page(const study::Results& results,
                       const std::vector<study::ClaimResult>& claims,
                       const StudyPageSetting& setting);

}  // namespace nodl::cli
