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

/// As NumPy writes it: an optional byte order, a letter, the bytes of an element.
std::optional<DType> parse_dtype(const std::string& text) {
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
  if (!understood || digits < text.size()) return std::nullopt;
  return dtype;
}

[[noreturn]] void refuse_dtype(const std::string& text, const std::string& name) {
  const std::size_t letter = text.find_first_not_of("<>|=");
  const char kind = letter == std::string::npos ? '?' : text[letter];
  const bool odd_size = kind == 'f' || kind == 'i' || kind == 'u';
  refuse(name,
         "expected numbers (bool, integers or floats of up to 64 bits), found dtype " +
             shown(text) + (odd_size ? "" : std::string(" (") + kind_name(kind) + ")"));
}

/// What the elements take, or nothing if that is beyond 2^64.
std::optional<std::uint64_t> bytes_needed(const NpyArray& array) {
  std::uint64_t needed = array.dtype.size;
  for (const Index extent : array.shape) {
    if (extent == 0) return 0;
  }
  for (const Index extent : array.shape) {
    if (__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed)) {
      return std::nullopt;
    }
  }
  return needed;
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
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::optional<DType> numeric_dtype(const std::string& text) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"bool", "b1"},
      {"int8", "i1"},
      {"int16", "i2"},
      {"int32", "i4"},
      {"int64", "i8"},
      {"uint8", "u1"},
      {"uint16", "u2"},
      {"uint32", "u4"},
      {"uint64", "u8"},
      {"float16", "f2"},
      {"float32", "f4"},
      {"float64", "f8"},
  };
  for (const auto& [name, code] : kNames) {
    if (text == name) return parse_dtype(code);
  }
  const std::optional<DType> dtype = parse_dtype(text);
  return dtype && dtype->is_numeric() ? dtype : std::nullopt;
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::size_t npy_data_offset(std::span<const char> start,
                            std::uint64_t size,
                            const std::string& name) {
  constexpr std::size_t kMagic = 6;
  if (start.size() < kMagic + 2 || std::memcmp(start.data(), "\x93NUMPY", kMagic) != 0) {
    refuse(name, "expected a .npy file, found no NumPy header");
  }
  const int version = static_cast<unsigned char>(start[kMagic]);
  if (version < 1 || version > 3) {
    refuse(name, "expected .npy version 1, 2 or 3, found " + std::to_string(version));
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t front = kMagic + 2 + length_size;
  if (start.size() < front) refuse(name, "the NumPy header is truncated");
  const std::uint64_t length = little_endian(start.subspan(kMagic + 2, length_size));
  if (length > size - front) refuse(name, "the NumPy header is truncated");
  return front + static_cast<std::size_t>(length);
}

NpyArray parse_npy_head(std::span<const char> head, std::uint64_t size, const std::string& name) {
  const std::size_t front = head[6] == 1 ? 10 : 12;
  const NpyHeader header = parse_npy_header({head.data() + front, head.size() - front}, name);
  const std::optional<DType> dtype = parse_dtype(header.descr);
  if (!dtype) refuse_dtype(header.descr, name);
  NpyArray array;
  array.dtype = *dtype;
  array.fortran_order = header.fortran_order;
  array.shape = header.shape;
  const std::optional<std::uint64_t> needed = bytes_needed(array);
  const std::uint64_t available = size - head.size();
  if (!needed || *needed > available) {
    refuse(name,
           "is truncated: expected " + (needed ? std::to_string(*needed) : "more than 2^64") +
               " bytes for shape " + shape_text(array.shape) + ", found " +
               std::to_string(available));
  }
  return array;
}

NpyArray parse_npy(std::span<const char> bytes, const std::string& name) {
  const std::size_t offset = npy_data_offset(bytes, bytes.size(), name);
  NpyArray array = parse_npy_head(bytes.first(offset), bytes.size(), name);
  array.data = bytes.subspan(offset, static_cast<std::size_t>(*bytes_needed(array)));
  return array;
}

}  // namespace nodl::io
