#include "events.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "json_output.h"
#include "nodl/error.h"

namespace nodl::cli {
namespace {

Json batch_event(const BatchSummary& summary, const EventWriter::Source& source) {
  const StageSeconds& seconds = summary.seconds;
  return {{"event", "batch"},
          {"batch", summary.batch},
          {"samples", summary.samples},
          {"samples_seen", source.samples_seen},
          {"pearson_before", summary.pearson_before},
          {"pearson_after", summary.pearson_after},
          {"birth_correlation", summary.birth_correlation},
          {"born", summary.born.size()},
          {"died", summary.died.size()},
          {"denied", summary.denied},
          {"denied_by", name_of(summary.denied_by)},
          {"atoms", summary.atoms},
          {"atoms_alive", summary.atoms_alive},
          {"sweeps", summary.sweeps},
          {"converged", summary.converged},
          {"code_nonzeros", summary.code_nonzeros},
          {"input", source.input},
          {"bad_rows", source.bad_rows},
          {"seconds",
           {{"code", seconds.code},
            {"birth", seconds.birth},
            {"memory", seconds.memory},
            {"update", seconds.update},
            {"other", seconds.other}}}};
}

Json birth_event(const BatchSummary& summary, std::int64_t id, const BirthOptions& options) {
  return {{"event", "birth"},
          {"batch", summary.batch},
          {"id", id},
          {"correlation", summary.birth_correlation},
          {"threshold", options.birth_threshold},
          {"reason", name_of(summary.birth_reason)}};
}

Json death_event(std::int64_t batch, const AtomRecord& record) {
  return {{"event", "death"},
          {"batch", batch},
          {"id", record.id},
          {"age_batches", batch - record.birth_batch},
          {"uses", record.uses},
          // Alg.1 step 16 is what kills; for an atom that no code ever used, a_jj = 0 does.
          {"reason", record.uses == 0 ? "unused" : "group_penalty"}};
}

/// The batch that a line of an event file tells of; none where it is no whole event, as a killed
/// run may leave it.
std::optional<std::int64_t> batch_of(const std::string& line) {
  const Json event = Json::parse(line, nullptr, false);
  if (!event.is_object()) return std::nullopt;
  const auto batch = event.find("batch");
  if (batch == event.end() || !batch->is_number_integer()) return std::nullopt;
  return batch->get<std::int64_t>();
}

[[noreturn]] void fail(const std::string& path) {
  throw ResourceError(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

EventWriter::EventWriter(const std::string& path, std::int64_t keep_batches)
    : path_(path), keep_batches_(keep_batches) {
  if (path.empty()) return;
  std::error_code ignored;
  was_there_ = std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  // Now, because what cannot be written must not be found out after a batch was learned.
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_);
}

EventWriter::~EventWriter() {
  if (file_ < 0) return;
  ::close(file_);
  if (!was_there_ && !any_batch_) ::unlink(path_.c_str());
}

void EventWriter::cut_back() const {
  // What was written to a pipe or a terminal is gone, and reading from it would wait for ever.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path_, ignored)) return;
  std::size_t keep = 0;
  if (keep_batches_ > 0) {
    std::ifstream old(path_);
    for (std::string line; std::getline(old, line) && !old.eof(); keep += line.size() + 1) {
      if (batch_of(line).value_or(keep_batches_ + 1) > keep_batches_) break;
    }
  }
  if (::ftruncate(file_, static_cast<off_t>(keep)) != 0) fail(path_);
}

void EventWriter::write_lines() {
  for (std::string_view left = lines_; !left.empty();) {
    const ssize_t put = ::write(file_, left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_);
    left.remove_prefix(static_cast<std::size_t>(put));
  }
  lines_.clear();
}

void EventWriter::sync() const {
  // A pipe or a terminal cannot be synced and need not be.
  if (file_ >= 0 && ::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) fail(path_);
}

void EventWriter::batch(const BatchSummary& summary,
                        const Source& source,
                        const BirthOptions& options) {
  if (file_ < 0) return;
  if (!any_batch_) cut_back();
  any_batch_ = true;
  add_line(batch_event(summary, source));
  for (const std::int64_t id : summary.born) add_line(birth_event(summary, id, options));
  for (const AtomRecord& record : summary.died) add_line(death_event(summary.batch, record));
  write_lines();
}

}  // namespace nodl::cli
