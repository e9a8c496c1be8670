#include "nodl/io/bad_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/failure.h"

namespace nodl::io {
namespace {

std::string json_line(const BadRow& row) {
  nlohmann::ordered_json line = {{"input", row.input}};
  if (row.row > 0) line["row"] = row.row;
  if (row.column > 0) line["column"] = row.column;
  line["reason"] = to_string(row.reason);
  line["message"] = row.message;
  if (!row.text.empty()) line["text"] = row.text;
  // Bytes of a file need not be UTF-8.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* to_string(BadRowReason reason) {
  switch (reason) {
    case BadRowReason::NotFinite:
      return "not_finite";
    case BadRowReason::TooLarge:
      return "too_large";
    case BadRowReason::NotANumber:
      return "not_a_number";
    case BadRowReason::Missing:
      return "missing";
    case BadRowReason::WrongWidth:
      return "wrong_width";
    case BadRowReason::BadIndex:
      break;
  }
  return "bad_index";
}

BadRows::BadRows(std::string file) : path_(std::move(file)) {}

BadRows::~BadRows() {
  if (file_ >= 0) ::close(file_);
}

void BadRows::begin() {
  if (path_.empty() || file_ >= 0) return;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail_output(path_, errno);
}

void BadRows::replace_old() {
  begin();
  if (file_ < 0 || replaced_) return;
  // A pipe or a terminal keeps nothing.
  if (::ftruncate(file_, 0) != 0 && errno != EINVAL) fail_output(path_, errno);
  replaced_ = true;
}

void BadRows::add(const BadRow& row) {
  replace_old();
  Index& last = last_sample_.try_emplace(row.input, -1).first->second;
  if (row.sample <= last) return;
  last = row.sample;
  ++counts_[static_cast<std::size_t>(row.reason)];
  if (file_ < 0) return;
  const std::string line = json_line(row);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t put = ::write(file_, line.data() + at, line.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_output(path_, errno);
    at += static_cast<std::size_t>(put);
  }
}

Index BadRows::total() const { return std::accumulate(counts_.begin(), counts_.end(), Index{0}); }

Index BadRows::count(BadRowReason reason) const {
  return counts_[static_cast<std::size_t>(reason)];
}

}  // namespace nodl::io
