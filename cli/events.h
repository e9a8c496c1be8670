// The event file of a run: JSON lines, one object a batch, one a birth, one a death.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json_output.h"
#include "nodl/learner.h"

namespace nodl::cli {

class EventWriter {
 public:
  /// The first batch that is written keeps the events of `keep_batches` batches, if there is a file
  /// (a pipe only gets what is new), and replaces the rest: what a resumed run does again stands
  /// once. A run without a batch leaves what was there. An empty path: nowhere. Throws
  /// ResourceError.
  explicit EventWriter(const std::string& path, std::int64_t keep_batches = 0);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// Where a batch came from.
  struct Source {
    std::string input;
    std::int64_t samples_seen = 0;  // by the model, with this batch
    std::int64_t bad_rows = 0;      // passed over so far
  };
  /// Writes the batch, its births and its deaths. The options are those that decided on births.
  void batch(const BatchSummary& summary, const Source& source, const BirthOptions& options);
  /// What was written is on the disk when this returns; may be called from another thread.
  void sync() const;

 private:
  void add_line(const Json& event) { lines_ += json_text(event) + '\n'; }
  void cut_back() const;
  void write_lines();

  std::string path_;
  std::int64_t keep_batches_;
  bool was_there_ = false;
  bool any_batch_ = false;
  int file_ = -1;
  std::string lines_;  // of the current batch
};

}  // namespace nodl::cli
