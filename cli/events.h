// The event file of a run: JSON lines, one object a batch, one a birth, one a death.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "json_output.h"
#include "nodl/learner.h"

namespace nodl::cli {

class EventWriter {
 public:
  /// Keeps the events of the first `keep_batches` batches, if the file is there, and replaces the
  /// rest: what a resumed run does again stands once. An empty path: nowhere. Throws ResourceError.
  explicit EventWriter(const std::string& path, std::int64_t keep_batches = 0);

  /// Call before learn_batch(): what dying atoms had done is known only then.
  void before_batch(const std::vector<AtomRecord>& records);
  /// Writes the batch, its births and its deaths, and flushes. `input` is where the batch came
  /// from.
  void batch(const BatchSummary& summary, std::int64_t samples_seen, const std::string& input);

 private:
  void line(const Json& event);
  void cut_back(std::int64_t keep_batches) const;

  std::string path_;
  std::ofstream file_;
  std::vector<AtomRecord> before_;
};

}  // namespace nodl::cli
