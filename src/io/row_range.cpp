#include "io/row_range.h"

#include <algorithm>
#include <vector>

#include "io/number.h"
#include "nodl/error.h"

namespace nodl::io {
namespace {

// No input is that long; bytes of as many samples can still be counted.
constexpr Index kLongestStep = Index{1} << 40;

Index from_the_start(Index bound, std::optional<Index> total, const std::string& path) {
  if (bound < 0) {
    if (!total) {
      throw InvalidOptions(path +
                           ": a negative row counts from the end, which this format does not tell "
                           "beforehand");
    }
    bound = bound < -*total ? 0 : bound + *total;
  }
  return total ? std::min(bound, *total) : bound;
}

}  // namespace

RowSelector::RowSelector(const RowRange& range, std::optional<Index> total, const std::string& path)
    : step_(std::min(range.step, kLongestStep)) {
  if (step_ < 1)
    throw InvalidOptions("rows: STEP must be at least 1, not " + std::to_string(step_));
  next_ = from_the_start(range.start, total, path);
  if (range.stop) {
    stop_ = from_the_start(*range.stop, total, path);
  } else if (total) {
    stop_ = *total;
  }
}

void RowSelector::advance(Index count) {
  if (done()) return;
  const Index steps_left = (stop_ - next_ - 1) / step_;
  next_ = count > steps_left ? stop_ : next_ + count * step_;
}

RowRange parse_row_range(const std::string& text) {
  const auto refused = [&text]() -> InvalidOptions {
    return InvalidOptions("rows: expected START:STOP:STEP with STEP > 0, found '" + text + "'");
  };
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() < 2 || parts.size() > 3) throw refused();
  std::optional<Index> numbers[3];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    numbers[i] = parse_integer(parts[i]);
    if (!numbers[i]) throw refused();
  }
  const RowRange range{numbers[0].value_or(0), numbers[1], numbers[2].value_or(1)};
  if (range.step < 1) throw refused();
  return range;
}

}  // namespace nodl::io
