// The samples that studies learn from and are tested on: the paper's files in a folder laid out as
// docs/STUDIES.md says, and synthetic ones made here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nodl/batch.h"
#include "nodl/io/sample_reader.h"
#include "nodl/synthetic.h"
#include "studies/study_file.h"

namespace nodl::study {

/// Samples that all runs share. Pixels and counts are exact in float; `scale` makes grey levels.
class SampleSet {
 public:
  SampleSet(Matrix<float> dense, double scale) : dense_(std::move(dense)), scale_(scale) {}
  explicit SampleSet(SparseMatrix<double> sparse) : sparse_(std::move(sparse)), is_sparse_(true) {}

  Index samples() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }
  Index dimension() const { return is_sparse_ ? sparse_.rows : dense_.rows(); }
  bool is_sparse() const { return is_sparse_; }
  /// Adds sample i to the end of the buffer's columns, `at` if dense.
  template <class Scalar>
  void copy(Index i, Index at, io::SampleBuffer<Scalar>& buffer) const;
  /// Samples first, ..., first + count - 1.
  template <class Scalar>
  Batch<Scalar> batch(Index first, Index count, io::SampleBuffer<Scalar>& buffer) const;

 private:
  Matrix<float> dense_;
  double scale_ = 1;
  SparseMatrix<double> sparse_;
  bool is_sparse_ = false;
};

/// Sample i of a set.
struct SampleRef {
  const SampleSet* set = nullptr;
  Index index = 0;
};
template <class Scalar>
Batch<Scalar> gather(const SampleRef* samples, Index count, io::SampleBuffer<Scalar>& buffer);

/// Columns of the word matrix: [0, biology) are mathematics, [biology, end) biology.
struct WordDomains {
  Index dimension = 0;
  Index biology = 0;
  Index end = 0;
};

/// Files and generators behind the names of sets in a study's stream.
class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Files that the stream needs and that are not there.
  std::vector<std::filesystem::path> missing(const Json& stream) const;
  Index dimension(const Json& stream) const;
  /// A set of the stream. The seed makes synthetic samples; others do not depend on it.
  std::shared_ptr<const SampleSet> set(const Json& stream,
                                       const std::string& name,
                                       Split split,
                                       std::uint64_t seed) const;
  /// Hashes of the contents of the stream's files, and how they are split.
  Json fingerprint(const Json& stream) const;

 private:
  std::vector<std::filesystem::path> files(const Json& stream) const;
  std::filesystem::path image_file(const Json& stream, const std::string& name, Split split) const;
  std::filesystem::path words_file() const;
  std::filesystem::path words_list() const;
  const WordDomains& words() const;  // read once

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const SampleSet>> sets_;
  mutable std::map<std::string, std::string> hashes_;
  mutable std::once_flag words_read_;
  mutable WordDomains words_;
};

}  // namespace nodl::study
