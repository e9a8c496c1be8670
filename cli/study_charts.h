// Charts and pictures of a study.
#pragma once

#include <vector>

#include "report_page.h"
#include "studies/results.h"

namespace nodl::cli {

/// The chart for each preset that was run, with one scale for both.
std::vector<Chart> charts_of(const study::Results& results,
                             const study::Study& study,
                             std::size_t panel,
                             const study::ChartSpec& spec);

/// Supports of D, pictures of A, reconstructions: what the runs brought along.
void add_pictures(ReportPage& page, const study::Results& results, const study::Study& study);

}  // namespace nodl::cli
