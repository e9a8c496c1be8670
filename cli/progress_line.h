// What a run is doing, on stderr: one line that keeps changing on a terminal, else a line now and
// then.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "nodl/learner.h"

namespace nodl::cli {
enum class ShowProgress { Auto, On, Off };  // Auto: only on a terminal
}
template <>
struct nodl::EnumNames<nodl::cli::ShowProgress> {
  static constexpr std::array<std::pair<nodl::cli::ShowProgress, std::string_view>, 3> table = {
      {{nodl::cli::ShowProgress::Auto, "auto"},
       {nodl::cli::ShowProgress::On, "on"},
       {nodl::cli::ShowProgress::Off, "off"}}};
};

namespace nodl::cli {

/// Nothing wanted: Auto.
bool shows_progress(std::optional<ShowProgress> wanted);

class ProgressLine {
 public:
  /// `total` samples are to come, where known; `label` comes first in the line.
  ProgressLine(std::optional<ShowProgress> show,
               std::optional<std::int64_t> total,
               std::string label = "");
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_on() const { return on_; }
  void batch(const BatchSummary& summary);
  /// Erases the line, so that other text can be printed.
  void clear();
  /// Says how it ended where lines stay, and leaves a terminal clean.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(const BatchSummary& summary) const;
  void show_pending();

  bool on_ = false;
  bool terminal_ = false;
  std::optional<std::int64_t> total_;
  std::string label_;
  Clock::time_point start_;
  Clock::time_point last_shown_;
  std::int64_t samples_ = 0;
  std::int64_t born_ = 0;
  std::int64_t died_ = 0;
  std::string pending_;  // the newest line, if not shown yet
  bool shown_once_ = false;
  bool visible_ = false;
};

}  // namespace nodl::cli
