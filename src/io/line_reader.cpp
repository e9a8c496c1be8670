#include "io/line_reader.h"

#include <algorithm>
#include <cstring>

#include "io/failure.h"

namespace nodl::io {
namespace {

constexpr std::size_t kInitialBuffer = std::size_t{1} << 16;
// No line of numbers is longer; a file that is one endless line must not eat all memory.
constexpr std::size_t kLongestLine = std::size_t{1} << 28;
constexpr std::size_t kLongestExtended = std::size_t{1} << 20;
constexpr Index kMostExtensions = 64;

}  // namespace

LineReader::LineReader(const std::string& path, const ReadOptions& options)
    : path_(path), text_(open_text(path, options)), buffer_(kInitialBuffer) {}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    next_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine) {
      refuse_at_line(path_, number_ + 1, "is longer than 256 MiB");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = text_.bytes->read(buffer_.data() + end_, buffer_.size() - end_);
  at_end_ = got == 0;
  end_ += got;
  return got > 0;
}

/// The length, from begin_, of the line that starts at begin_ + from; false if there is none.
bool LineReader::find_end(std::size_t from, std::size_t& length) {
  for (std::size_t searched = from;;) {
    const char* start = buffer_.data() + begin_ + searched;
    const auto* found =
        static_cast<const char*>(std::memchr(start, '\n', end_ - begin_ - searched));
    if (found != nullptr) {
      length = static_cast<std::size_t>(found - (buffer_.data() + begin_));
      return true;
    }
    searched = end_ - begin_;
    if (!fill()) {
      length = searched;  // the last line has no end
      return searched > from;
    }
  }
}

std::string_view LineReader::line_of(std::size_t length) const {
  std::string_view line(buffer_.data() + begin_, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LineReader::next(std::string_view& line) {
  begin_ = next_;
  number_ += extensions_;
  extensions_ = 0;
  if (!find_end(0, length_)) return false;
  step_ = std::min(length_ + 1, end_ - begin_);
  next_ = begin_ + step_;
  line = line_of(length_);
  ++number_;
  return true;
}

bool LineReader::extend(std::string_view& line) {
  std::size_t length = 0;
  const bool found = extensions_ < kMostExtensions && next_ - begin_ <= kLongestExtended &&
                     find_end(next_ - begin_, length);
  line = line_of(found ? length : next_ - begin_);  // the buffer may have moved
  if (!found) return false;
  next_ = std::min(begin_ + length + 1, end_);
  ++extensions_;
  return true;
}

void LineReader::shrink(std::string_view& line) {
  next_ = begin_ + step_;
  extensions_ = 0;
  line = line_of(length_);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view take_field(std::string_view& line) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto* begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto* end = std::find_if(begin, line.end(), is_blank);
  const std::string_view field(begin, static_cast<std::size_t>(end - begin));
  line = {end, static_cast<std::size_t>(line.end() - end)};
  return field;
}

}  // namespace nodl::io
