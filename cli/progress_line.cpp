#include "progress_line.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "table.h"

namespace nodl::cli {
namespace {

constexpr double kTerminalInterval = 0.1;  // seconds; faster than anybody reads
constexpr double kPlainInterval = 2;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

bool shows_progress(std::optional<ShowProgress> wanted) {
  if (wanted.value_or(ShowProgress::Auto) == ShowProgress::Auto) return isatty(STDERR_FILENO) != 0;
  return wanted == ShowProgress::On;
}

ProgressLine::ProgressLine(std::optional<ShowProgress> show,
                           std::optional<std::int64_t> total,
                           std::string label)
    : on_(shows_progress(show)),
      terminal_(isatty(STDERR_FILENO) != 0),
      total_(total),
      label_(std::move(label)),
      start_(Clock::now()) {}

ProgressLine::~ProgressLine() { finish(); }

std::string ProgressLine::line(const BatchSummary& summary) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(samples_) / seconds : 0;
  std::string text = label_.empty() ? "" : label_ + "  ";
  text += fmt::format("batch {}  {}", grouped(summary.batch), grouped(samples_));
  if (total_) text += fmt::format("/{}", grouped(*total_));
  text += fmt::format(" samples  {}/s", grouped(static_cast<long long>(rate)));
  text += fmt::format("  Pearson {:.3f}  atoms {}  born {}  died {}",
                      summary.pearson_after,
                      summary.atoms,
                      born_,
                      died_);
  if (total_ && rate > 0 && samples_ < *total_) {
    const double left = static_cast<double>(*total_ - samples_) / rate;
    text += "  " + (left < 100 ? fmt::format("{:.0f} s", left) : duration(left)) + " left";
  }
  return text;
}

void ProgressLine::batch(const BatchSummary& summary) {
  if (!on_) return;
  samples_ += summary.samples;
  born_ += static_cast<std::int64_t>(summary.born.size());
  died_ += static_cast<std::int64_t>(summary.died.size());
  const auto now = Clock::now();
  const double interval = terminal_ ? kTerminalInterval : kPlainInterval;
  pending_ = line(summary);
  if (shown_once_ && std::chrono::duration<double>(now - last_shown_).count() < interval) return;
  last_shown_ = now;
  shown_once_ = true;
  show_pending();
}

void ProgressLine::show_pending() {
  if (pending_.empty()) return;
  if (terminal_) {
    // A line wider than the terminal would wrap and no longer be overwritten.
    fmt::print(stderr, "\r{}\x1b[K", pending_.substr(0, terminal_width() - 1));
    visible_ = true;
  } else {
    fmt::print(stderr, "{}\n", pending_);
  }
  std::fflush(stderr);
  pending_.clear();
}

void ProgressLine::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

void ProgressLine::finish() {
  if (!terminal_) show_pending();
  clear();
  pending_.clear();
}

}  // namespace nodl::cli
