// What every run of a workload is given.
#pragma once

#include <filesystem>
#include <string>

#include "machine.h"
#include "nodl/types.h"

namespace nodl::bench {

struct Context {
  std::filesystem::path cache;  // .npy files that rivals read as well
  std::filesystem::path data;   // images and NLP of the paper
  int threads = 1;
  Index atoms = 0;             // 0: as the workload says
  Index samples = 0;           // 0: as the workload says; fewer for a quick look
  std::string dictionary_out;  // where the learned dictionary goes, or nothing
  std::string only;            // train or encode, where a workload does both (P4); nothing: both
  MachineRate machine;

  Index shortened(Index full) const { return samples > 0 && samples < full ? samples : full; }
};

}  // namespace nodl::bench
