// Elements of any numeric dtype as numbers. Everything passes through double, as text does, so that
// a matrix gives the same float32 samples from every format.
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "io/npy_array.h"
#include "io/number.h"

namespace nodl::io {
namespace {

struct Half {
  std::uint16_t bits;
};

double to_double(Half half) {
  const int exponent = (half.bits >> 10) & 0x1f;
  const int fraction = half.bits & 0x3ff;
  double value = 0;
  if (exponent == 0x1f) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (half.bits & 0x8000) != 0 ? -value : value;
}
double to_double(bool value) { return value ? 1 : 0; }
template <class Number>
double to_double(Number value) {
  return static_cast<double>(value);
}

template <class Raw, bool kSwapped>
Raw load(const char* from) {
  if constexpr (std::is_same_v<Raw, bool>) {
    return *from != 0;
  } else {
    char bytes[sizeof(Raw)];
    std::memcpy(bytes, from, sizeof(Raw));
    if constexpr (kSwapped) std::reverse(bytes, bytes + sizeof(Raw));
    return std::bit_cast<Raw>(bytes);
  }
}

/// Calls visit(load function) for the C++ type of the elements.
template <class Visitor>
decltype(auto) with_raw_type(const DType& dtype, Visitor&& visit) {
  const auto pick = [&]<class Raw>(Raw) {
    return dtype.swapped ? visit(&load<Raw, true>) : visit(&load<Raw, false>);
  };
  switch (dtype.kind) {
    case 'b':
      return pick(bool{});
    case 'f':
      if (dtype.size == 2) return pick(Half{});
      if (dtype.size == 4) return pick(float{});
      return pick(double{});
    case 'i':
      if (dtype.size == 1) return pick(std::int8_t{});
      if (dtype.size == 2) return pick(std::int16_t{});
      if (dtype.size == 4) return pick(std::int32_t{});
      return pick(std::int64_t{});
    case 'u':
      if (dtype.size == 1) return pick(std::uint8_t{});
      if (dtype.size == 2) return pick(std::uint16_t{});
      if (dtype.size == 4) return pick(std::uint32_t{});
      return pick(std::uint64_t{});
    default:
      throw std::logic_error("decode: not a number");
  }
}

}  // namespace

template <class Scalar>
Index decode(
    const NpyArray& array, Index first, Index stride, Index count, double largest, Scalar* out) {
  const auto size = static_cast<Index>(array.dtype.size);
  const char* from = array.data.data() + first * size;
  return with_raw_type(array.dtype, [&](auto load_element) {
    for (Index i = 0; i < count; ++i) {
      const double value = to_double(load_element(from + i * stride * size));
      if (!fits(value, largest)) return i;
      out[i] = static_cast<Scalar>(value);
    }
    return count;
  });
}
template Index decode<double>(const NpyArray&, Index, Index, Index, double, double*);
template Index decode<float>(const NpyArray&, Index, Index, Index, double, float*);

void decode_any(const NpyArray& array, Index first, Index count, double* out) {
  const auto size = static_cast<Index>(array.dtype.size);
  const char* from = array.data.data() + first * size;
  with_raw_type(array.dtype, [&](auto load_element) {
    for (Index i = 0; i < count; ++i) out[i] = to_double(load_element(from + i * size));
    return 0;
  });
}

double decode_one(const NpyArray& array, Index element) {
  const char* from = array.data.data() + element * static_cast<Index>(array.dtype.size);
  return with_raw_type(array.dtype,
                       [from](auto load_element) { return to_double(load_element(from)); });
}

void decode_integers(const NpyArray& array, Index first, Index count, Index* out) {
  const auto size = static_cast<Index>(array.dtype.size);
  const char* from = array.data.data() + first * size;
  with_raw_type(array.dtype, [&](auto load_element) {
    using Raw = decltype(load_element(from));
    if constexpr (std::is_integral_v<Raw> && !std::is_same_v<Raw, bool>) {
      for (Index i = 0; i < count; ++i) {
        const Raw value = load_element(from + i * size);
        out[i] = std::in_range<Index>(value) ? static_cast<Index>(value) : -1;
      }
    }
    return 0;
  });
}

}  // namespace nodl::io
