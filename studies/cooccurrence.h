// Which words stand near each other in texts: the matrix of Sec. 4.2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nodl/sparse.h"

namespace nodl::study {

/// Calls word(text) for every word, in order. Of each line only ASCII letters and spaces count, in
/// lower case; lines of fewer words than `least_words` are left out. Reads .gz too. Throws
/// DataError.
void read_words(const std::filesystem::path& file,
                int least_words,
                const std::function<void(const std::string&)>& word);

/// Counts words within `window` places of each other, the word itself included. Words of general
/// texts are not counted, but take their place in the window.
class CooccurrenceCounter {
 public:
  explicit CooccurrenceCounter(int window) : window_(window) {}

  void exclude(const std::string& word) { excluded_.insert(word); }
  void add(const std::string& word, const std::string& source);

  struct Entry {
    std::string word;
    std::string source;  // where it was first seen
  };
  /// In the order of first appearance.
  const std::vector<Entry>& vocabulary() const { return vocabulary_; }
  /// Symmetric; rows and columns as in the vocabulary.
  SparseMatrix<double> matrix() const;

 private:
  static constexpr std::int32_t kExcluded = -1;

  int window_;
  std::unordered_set<std::string> excluded_;
  std::unordered_map<std::string, std::int32_t> index_;
  std::vector<Entry> vocabulary_;
  std::vector<std::int32_t> recent_;  // the last words of the stream, newest last
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;  // (smaller index, larger index)
};

}  // namespace nodl::study
