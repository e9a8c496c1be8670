#include "io/line_reader.h"

#include <cstring>

#include "io/failure.h"

namespace nodl::io {
namespace {

constexpr std::size_t kInitialBuffer = std::size_t{1} << 18;
// No line of numbers is longer; a file that is one endless line must not eat all memory.
constexpr std::size_t kLongestLine = std::size_t{1} << 30;

}  // namespace

LineReader::LineReader(const std::string& path)
    : path_(path), bytes_(open_bytes(path)), buffer_(kInitialBuffer) {}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine) {
      refuse_at_line(path_, number_ + 1, "is longer than 1 GiB");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  at_end_ = got == 0;
  end_ += got;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  std::size_t length = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_ + searched;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - searched));
    if (found != nullptr) {
      length = static_cast<std::size_t>(found - (buffer_.data() + begin_));
      break;
    }
    searched = end_ - begin_;
    if (!fill()) {
      if (searched == 0) return false;
      length = searched;  // the last line has no end
      break;
    }
  }
  line = {buffer_.data() + begin_, length};
  begin_ = std::min(begin_ + length + 1, end_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace nodl::io
