#include <algorithm>
#include <bit>
#include <cstring>

#include "io/failure.h"
#include "io/mapped_file.h"
#include "io/npy_array.h"
#include "io/number.h"
#include "io/readers.h"
#include "io/row_range.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

// Mapped bytes that may stay in memory after they were read.
constexpr std::size_t kReleaseChunk = std::size_t{16} << 20;
// Side of the blocks in which samples that lie across the file are turned.
constexpr Index kTile = 32;

template <class Scalar>
bool all_finite(const Scalar* values, Index count) {
  // On the bits, because this loop is vectorised and a comparison that leaves early is not.
  using Bits = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;
  const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Scalar>::infinity());
  Bits bad = 0;
  for (Index i = 0; i < count; ++i) {
    bad |= (std::bit_cast<Bits>(values[i]) & exponent) == exponent ? 1 : 0;
  }
  return bad == 0;
}

class NpyReader : public TypedReader<NpyReader> {
 public:
  NpyReader(const std::string& path, const ReadOptions& options)
      : path_(path),
        file_(path),
        array_(checked(path, parse_npy(file_.bytes(), path), options)),
        transpose_(options.transpose),
        along_(array_.fortran_order == options.transpose),
        dimension_(array_.shape[options.transpose ? 0 : 1]),
        total_(array_.shape[options.transpose ? 1 : 0]),
        rows_(options.rows, total_, path) {}

  Index dimension() const override { return dimension_; }
  bool is_sparse() const override { return false; }
  std::optional<Index> samples() const override { return samples_; }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    count = std::min(count, rows_.remaining());
    if (count <= 0) return Batch<Scalar>::dense(nullptr, dimension_, 0, dimension_);
    const Index first = rows_.current();
    rows_.advance(count);
    if (along_) {
      forget_before(first);
      if (is_stored_as<Scalar>()) return view<Scalar>(first, count);
    }
    buffer.dense.resize(dimension_, count);
    if (along_) {
      copy_along(first, count, buffer.dense);
    } else {
      copy_across(first, count, buffer.dense);
    }
    return Batch<Scalar>::dense(buffer.dense);
  }

 private:
  static NpyArray checked(const std::string& path, NpyArray array, const ReadOptions& options) {
    if (!array.dtype.is_numeric()) refuse(path, "expected numbers, found strings");
    if (array.shape.size() != 2) {
      refuse(path,
             "expected a 2-D array, found a " + std::to_string(array.shape.size()) +
                 "-D array of shape " + shape_text(array.shape));
    }
    check_shape(path, array.shape[0], array.shape[1], options.transpose);
    return array;
  }

  template <class Scalar>
  bool is_stored_as() const {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(array_.data.data()) % alignof(Scalar) == 0;
    return aligned && array_.dtype.kind == 'f' && array_.dtype.size == sizeof(Scalar) &&
           !array_.dtype.swapped;
  }

  template <class Scalar>
  Batch<Scalar> view(Index first, Index count) {
    const auto* data = reinterpret_cast<const Scalar*>(array_.data.data());
    const Scalar* begin = data + first * dimension_;
    const Index stride = rows_.step() * dimension_;
    for (Index i = 0; i < count; ++i) {
      const Scalar* sample = begin + i * stride;
      if (!all_finite(sample, dimension_)) {
        const Scalar* bad =
            std::find_if_not(sample, sample + dimension_, [](Scalar x) { return fits<Scalar>(x); });
        refuse_element<Scalar>(first + i * rows_.step(), bad - sample, *bad);
      }
    }
    return Batch<Scalar>::dense(begin, dimension_, count, stride);
  }

  /// A sample's numbers lie next to each other.
  template <class Scalar>
  void copy_along(Index first, Index count, Matrix<Scalar>& out) {
    for (Index i = 0; i < count; ++i) {
      const Index sample = first + i * rows_.step();
      const Index good =
          decode(array_, sample * dimension_, Index{1}, dimension_, out.col(i).data());
      if (good < dimension_) {
        refuse_element<Scalar>(sample, good, decode_one(array_, sample * dimension_ + good));
      }
    }
  }

  /// Equal coordinates of all samples lie next to each other: small blocks keep both the reading
  /// and the writing within the cache.
  template <class Scalar>
  void copy_across(Index first, Index count, Matrix<Scalar>& out) {
    Scalar tile[kTile][kTile];
    std::size_t released = 0;
    for (Index row = 0; row < dimension_; row += kTile) {
      const Index height = std::min(kTile, dimension_ - row);
      for (Index i = 0; i < count; i += kTile) {
        const Index width = std::min(kTile, count - i);
        const Index sample = first + i * rows_.step();
        for (Index r = 0; r < height; ++r) {
          const Index element = (row + r) * total_ + sample;
          const Index good = decode(array_, element, rows_.step(), width, tile[r]);
          if (good < width) {
            refuse_element<Scalar>(sample + good * rows_.step(),
                                   row + r,
                                   decode_one(array_, element + good * rows_.step()));
          }
        }
        for (Index c = 0; c < width; ++c) {
          for (Index r = 0; r < height; ++r) out(row + r, i + c) = tile[r][c];
        }
      }
      release_until((row + height) * total_, released);
    }
  }

  void forget_before(Index sample) { release_until(sample * dimension_, released_); }

  void release_until(Index element, std::size_t& released) {
    const std::size_t data_start = file_.bytes().size() - remaining_bytes();
    const std::size_t position = data_start + static_cast<std::size_t>(element) * array_.dtype.size;
    if (position < released + kReleaseChunk) return;
    file_.release(released, position);
    released = position;
  }
  std::size_t remaining_bytes() const {
    return static_cast<std::size_t>(file_.bytes().data() + file_.bytes().size() -
                                    array_.data.data());
  }

  template <class Scalar>
  [[noreturn]] void refuse_element(Index sample, Index coordinate, double value) {
    const Position position =
        transpose_ ? Position{coordinate + 1, sample + 1} : Position{sample + 1, coordinate + 1};
    refuse_number<Scalar>(path_, position, value);
  }

  std::string path_;
  MappedFile file_;
  NpyArray array_;
  bool transpose_;
  bool along_;  // the numbers of a sample lie next to each other
  Index dimension_;
  Index total_;
  RowSelector rows_;
  Index samples_ = rows_.remaining();
  std::size_t released_ = 0;
};

}  // namespace

std::unique_ptr<SampleReader> open_npy(const std::string& path, const ReadOptions& options) {
  return std::make_unique<NpyReader>(path, options);
}

}  // namespace nodl::io
