// The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nodl/types.h"

namespace nodl::io {

/// NumPy's letter and size; 'b' bool, 'i', 'u', 'f' numbers, 'S' bytes, 'U' text.
struct DType {
  char kind = 0;
  std::size_t size = 0;  // bytes of an element
  bool swapped = false;  // other byte order than this machine's

  bool is_numeric() const;
  bool is_integer() const { return is_numeric() && (kind == 'i' || kind == 'u'); }
};

/// An array in somebody else's memory, checked: `data` holds all elements of the shape.
struct NpyArray {
  DType dtype;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::span<const char> data;

  Index elements() const;  // by the shape
};

/// "f4", ">i2", "float64" and so on, if it is a type of numbers.
std::optional<DType> numeric_dtype(const std::string& text);

/// Bytes before the first element, of an array that begins with these (12 suffice) and has `size`
/// bytes in all. `name` stands in messages here and below. Throws DataError.
std::size_t npy_data_offset(std::span<const char> start,
                            std::uint64_t size,
                            const std::string& name);
/// Everything but the data of an array, from the bytes before them. Checks that `size` bytes can
/// hold it. Throws DataError.
NpyArray parse_npy_head(std::span<const char> head, std::uint64_t size, const std::string& name);
/// An array in memory. Throws DataError.
NpyArray parse_npy(std::span<const char> bytes, const std::string& name);
/// "(3, 4)"
std::string shape_text(const std::vector<Index>& shape);

/// Reads `count` elements, `stride` elements apart, beginning at element `first`. Returns how many
/// were good: the number of the first that is not finite or larger than it may be, else `count`.
template <class Scalar>
Index decode(
    const NpyArray& array, Index first, Index stride, Index count, double largest, Scalar* out);
/// The same without looking at the numbers.
void decode_any(const NpyArray& array, Index first, Index count, double* out);
double decode_one(const NpyArray& array, Index element);
/// Only for integers; unsigned ones beyond the range of Index become -1.
void decode_integers(const NpyArray& array, Index first, Index count, Index* out);

}  // namespace nodl::io
