#include "cooccurrence.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <tuple>

#include "nodl/error.h"

namespace nodl::study {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Words of one line, gathered letter by letter.
class LineOfWords {
 public:
  void put(char c) {
    if (is_letter(c)) {
      word_ += lower(c);
    } else if (c == ' ') {
      end_word();
    }  // all else vanishes, joining its neighbours
  }
  void end(int least_words, const std::function<void(const std::string&)>& word) {
    end_word();
    if (static_cast<int>(words_.size()) >= least_words) {
      for (const std::string& one : words_) word(one);
    }
    words_.clear();
  }

 private:
  void end_word() {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
  }

  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

void read_words(const std::filesystem::path& path,
                int least_words,
                const std::function<void(const std::string&)>& word) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) throw DataError(path.string() + ": " + std::strerror(errno));
  std::array<char, 1 << 16> block;
  LineOfWords line;
  while (true) {
    const int got = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    if (got < 0) {
      int code = 0;
      throw DataError(path.string() + ": " + gzerror(file.get(), &code));
    }
    if (got == 0) break;
    for (int i = 0; i < got; ++i) {
      const char c = block[static_cast<std::size_t>(i)];
      if (c == '\n' || c == '\r') {
        line.end(least_words, word);
      } else {
        line.put(c);
      }
    }
  }
  line.end(least_words, word);
}

void CooccurrenceCounter::add(const std::string& word, const std::string& source) {
  std::int32_t index = kExcluded;
  if (!excluded_.contains(word)) {
    const auto [found, is_new] =
        index_.try_emplace(word, static_cast<std::int32_t>(vocabulary_.size()));
    if (is_new) vocabulary_.push_back({word, source});
    index = found->second;
  }
  const auto count = [&](std::int32_t other) {
    const auto [low, high] = std::minmax(index, other);
    ++counts_[static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high)];
  };
  if (index != kExcluded) {
    count(index);  // the window holds the word itself
    for (const std::int32_t other : recent_) {
      if (other == kExcluded) continue;
      count(other);
      if (other == index) count(other);  // seen from both places
    }
  }
  recent_.push_back(index);
  if (static_cast<int>(recent_.size()) > window_) recent_.erase(recent_.begin());
}

SparseMatrix<double> CooccurrenceCounter::matrix() const {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::uint32_t>> entries;
  entries.reserve(2 * counts_.size());
  for (const auto& [pair, count] : counts_) {
    const auto low = static_cast<std::int32_t>(pair >> 32);
    const auto high = static_cast<std::int32_t>(pair & 0xFFFFFFFFU);
    entries.emplace_back(low, high, count);
    if (low != high) entries.emplace_back(high, low, count);
  }
  std::sort(entries.begin(), entries.end());
  SparseMatrix<double> matrix;
  matrix.rows = static_cast<Index>(vocabulary_.size());
  auto entry = entries.begin();
  for (std::int32_t column = 0; column < static_cast<std::int32_t>(vocabulary_.size()); ++column) {
    for (; entry != entries.end() && std::get<0>(*entry) == column; ++entry) {
      matrix.push(std::get<1>(*entry), std::get<2>(*entry));
    }
    matrix.end_column();
  }
  return matrix;
}

}  // namespace nodl::study
