#include "io/npy_array.h"

#include <bit>
#include <cstring>

#include "io/failure.h"
#include "io/npy_header.h"

namespace nodl::io {
namespace {

std::uint64_t little_endian(std::span<const char> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

const char* kind_name(char kind) {
  switch (kind) {
    case 'c':
      return "complex numbers";
    case 'O':
      return "Python objects";
    case 'S':
    case 'U':
    case 'a':
      return "strings";
    case 'M':
    case 'm':
      return "dates";
    case 'V':
      return "records";
    default:
      return "an unknown type";
  }
}

DType parse_dtype(const std::string& text, const std::string& name) {
  const std::string orders = "<>|=";
  const std::size_t start = !text.empty() && orders.find(text[0]) != std::string::npos ? 1 : 0;
  DType dtype;
  dtype.kind = start < text.size() ? text[start] : '?';
  std::size_t digits = start + 1;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (dtype.size > 1'000'000'000) break;
    dtype.size = 10 * dtype.size + static_cast<std::size_t>(text[digits] - '0');
  }
  if (dtype.kind == 'U') dtype.size *= 4;
  const bool little = std::endian::native == std::endian::little;
  dtype.swapped = start == 1 && text[0] == (little ? '>' : '<');
  const bool understood = dtype.is_numeric() || dtype.kind == 'S' || dtype.kind == 'U';
  if (!understood || digits != text.size()) {
    const bool odd_size = dtype.kind == 'f' || dtype.kind == 'i' || dtype.kind == 'u';
    refuse(name,
           "expected numbers (bool, integers or floats of up to 64 bits), found dtype " +
               shown(text) + (odd_size ? "" : std::string(" (") + kind_name(dtype.kind) + ")"));
  }
  return dtype;
}

}  // namespace

bool DType::is_numeric() const {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    default:
      return false;
  }
}

Index NpyArray::elements() const {
  return dtype.size == 0 ? 0 : static_cast<Index>(data.size() / dtype.size);
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

NpyArray parse_npy(std::span<const char> bytes, const std::string& name) {
  constexpr std::size_t kMagic = 6;
  if (bytes.size() < kMagic + 2 || std::memcmp(bytes.data(), "\x93NUMPY", kMagic) != 0) {
    refuse(name, "expected a .npy file, found no NumPy header");
  }
  const int version = static_cast<unsigned char>(bytes[kMagic]);
  if (version < 1 || version > 3) {
    refuse(name, "expected .npy version 1, 2 or 3, found " + std::to_string(version));
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t start = kMagic + 2 + length_size;
  if (bytes.size() < start) refuse(name, "the NumPy header is truncated");
  const std::uint64_t length = little_endian(bytes.subspan(kMagic + 2, length_size));
  if (length > bytes.size() - start) refuse(name, "the NumPy header is truncated");

  const NpyHeader header =
      parse_npy_header({bytes.data() + start, static_cast<std::size_t>(length)}, name);
  NpyArray array;
  array.dtype = parse_dtype(header.descr, name);
  array.fortran_order = header.fortran_order;
  array.shape = header.shape;

  // The product of the shape is built only as far as the file can hold it.
  const std::size_t available = bytes.size() - start - static_cast<std::size_t>(length);
  bool empty = array.dtype.size == 0;
  for (const Index extent : array.shape) empty = empty || extent == 0;
  std::size_t needed = empty ? 0 : array.dtype.size;
  bool too_large = false;
  for (const Index extent : array.shape) {
    too_large =
        too_large || __builtin_mul_overflow(needed, static_cast<std::size_t>(extent), &needed);
  }
  if (too_large || needed > available) {
    refuse(name,
           "is truncated: expected " + (too_large ? "more than 2^64" : std::to_string(needed)) +
               " bytes for shape " + shape_text(array.shape) + ", found " +
               std::to_string(available));
  }
  array.data = bytes.subspan(bytes.size() - available, needed);
  return array;
}

}  // namespace nodl::io
