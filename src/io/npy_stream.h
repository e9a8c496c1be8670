// An array that is read once, from its first element to its last.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.h"
#include "io/npy_array.h"

namespace nodl::io {

/// One-dimensional. Throws DataError.
class NpyStream {
 public:
  /// `size` bytes, header included; `name` stands in messages.
  NpyStream(std::unique_ptr<ByteSource> bytes, std::uint64_t size, const std::string& name);

  const std::string& name() const { return name_; }
  const DType& dtype() const { return array_.dtype; }
  Index elements() const { return array_.shape[0]; }

  /// At most as many as are left. Only for integers; those beyond the range of Index become -1.
  void read_integers(Index count, Index* out);
  void read_numbers(Index count, double* out);
  void skip(Index count);
  /// After the last element: reads what may follow it, so that all bytes are checked.
  void finish();

 private:
  /// The next elements, at most `count`; how many, at least one.
  Index next_block(Index count);

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  NpyArray array_;
  std::vector<char> block_;
};

}  // namespace nodl::io
