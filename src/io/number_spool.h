// A matrix on its way from text to a temporary file, where it can be read across.
#pragma once

#include <span>
#include <vector>

#include "io/array_reader.h"
#include "io/scratch_file.h"

namespace nodl::io {

class NumberSpool {
 public:
  void push(std::span<const double> numbers) {
    constexpr std::size_t kBlock = std::size_t{1} << 15;
    buffer_.insert(buffer_.end(), numbers.begin(), numbers.end());
    if (buffer_.size() >= kBlock) flush();
  }

  /// The matrix that the numbers are. Throws what make_array_reader() throws.
  std::unique_ptr<SampleReader> reader(Index rows,
                                       Index columns,
                                       bool by_columns,
                                       const std::string& path,
                                       const ReadOptions& options,
                                       Index first_row = 1) {
    flush();
    MappedFile mapped(std::move(file_));
    NpyArray array{{'f', sizeof(double), false}, by_columns, {rows, columns}, mapped.bytes()};
    return make_array_reader(std::move(mapped), std::move(array), path, options, first_row);
  }

 private:
  void flush() {
    file_.append(buffer_.data(), buffer_.size() * sizeof(double));
    buffer_.clear();
  }

  ScratchFile file_;
  std::vector<double> buffer_;
};

}  // namespace nodl::io
