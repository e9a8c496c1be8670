// Results of runs, one file each: a study that was interrupted goes on where it stopped.
#pragma once

#include <filesystem>
#include <optional>

#include "studies/execute.h"

namespace nodl::study {

class RunCache {
 public:
  /// Makes the folder. Throws ResourceError.
  explicit RunCache(std::filesystem::path folder);

  /// Nothing if the run was not made yet, or its file is damaged.
  std::optional<RunResult> find(const std::string& key) const;
  /// Appears whole or not at all.
  void store(const std::string& key, const Json& document, const RunResult& result) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / (key + ".json"); }

  std::filesystem::path folder_;
};

}  // namespace nodl::study
