#include "io/array_reader.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "io/bad_row_error.h"
#include "io/failure.h"
#include "io/number.h"
#include "io/readers.h"
#include "io/row_range.h"
#include "io/typed_reader.h"

namespace nodl::io {
namespace {

// Side of the blocks in which samples that lie across the file are turned.
constexpr Index kTile = 32;
// Bytes of a coordinate that are read at a time.
constexpr Index kPiece = 1 << 16;

/// No NaN, no infinity, nothing larger.
template <class Scalar>
bool all_fit(const Scalar* values, Index count, Scalar largest) {
  // On the bits, which are ordered as the sizes of the numbers are, because this loop is vectorised
  // and a comparison that leaves early is not. A difference that is negative has its first bit set.
  using Bits = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits most = std::bit_cast<Bits>(largest);
  Bits differences = 0;
  for (Index i = 0; i < count; ++i) {
    differences |= most - (std::bit_cast<Bits>(values[i]) & ~kSign);
  }
  return (differences & kSign) == 0;
}

/// A number that cannot be used.
struct BadNumber {
  Index sample = 0;
  Index coordinate = 0;
};

class ArrayReader : public TypedReader<ArrayReader> {
 public:
  ArrayReader(MappedFile file,
              NpyArray array,
              const std::string& path,
              const ReadOptions& options,
              Index first_row)
      : path_(path),
        file_(std::move(file)),
        array_(checked(path, std::move(array), options)),
        transpose_(options.transpose),
        along_(array_.fortran_order == options.transpose),
        dimension_(array_.shape[options.transpose ? 0 : 1]),
        total_(array_.shape[options.transpose ? 1 : 0]),
        first_row_(first_row),
        options_(options),
        bad_rows_(options.bad_rows),
        rows_(options.rows, total_, path) {
    if (!bad_rows_) samples_ = rows_.remaining();
  }

  Index dimension() const override { return dimension_; }
  bool is_sparse() const override { return false; }
  std::optional<Index> samples() const override { return samples_; }

  template <class Scalar>
  Batch<Scalar> read_samples(Index count, SampleBuffer<Scalar>& buffer) {
    if (bad_rows_) bad_rows_->begin();
    Index good = 0;
    while (good < count && !rows_.done()) {
      const Index taken = std::min(count - good, rows_.remaining());
      const Index first = rows_.current();
      rows_.advance(taken);
      if (along_) past_.move_to(file_, byte_of(first * dimension_));
      const bool complete = good == 0 && (taken == count || rows_.done());
      if (complete && can_view<Scalar>(first, taken)) return view<Scalar>(first, taken);
      good += copy(first, taken, good, buffer.dense);
    }
    return Batch<Scalar>::dense(buffer.dense.data(), dimension_, good, dimension_);
  }

  Index skip(Index count) override {
    if (bad_rows_)
      return options_.float32 ? read_and_forget<float>(count) : read_and_forget<double>(count);
    const Index skipped = std::min(count, rows_.remaining());
    rows_.advance(skipped);
    return skipped;
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

  /// The numbers are in the file as they are wanted, and good.
  template <class Scalar>
  bool can_view(Index first, Index count) const {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(array_.data.data()) % alignof(Scalar) == 0;
    const bool stored_so = aligned && array_.dtype.kind == 'f' &&
                           array_.dtype.size == sizeof(Scalar) && !array_.dtype.swapped;
    if (!along_ || !stored_so) return false;
    const auto largest = static_cast<Scalar>(largest_number<Scalar>(options_));
    for (Index i = 0; i < count; ++i) {
      const Scalar* sample = stored<Scalar>(first + i * rows_.step());
      if (!all_fit(sample, dimension_, largest)) return false;
    }
    return true;
  }
  template <class Scalar>
  const Scalar* stored(Index sample) const {
    return reinterpret_cast<const Scalar*>(array_.data.data()) + sample * dimension_;
  }
  template <class Scalar>
  Batch<Scalar> view(Index first, Index count) const {
    const Index stride = rows_.step() * dimension_;
    return Batch<Scalar>::dense(stored<Scalar>(first), dimension_, count, stride);
  }

  /// Samples to the columns from `at` on; returns how many were good.
  template <class Scalar>
  Index copy(Index first, Index count, Index at, Matrix<Scalar>& out) {
    if (out.rows() != dimension_) out.resize(dimension_, 0);
    if (out.cols() < at + count) out.conservativeResize(dimension_, at + count);
    bad_.clear();
    if (along_) {
      copy_along(first, count, at, out);
    } else {
      copy_across(first, count, at, out);
    }
    return bad_.empty() ? count : drop_bad(first, count, at, out);
  }

  /// A sample's numbers lie next to each other.
  template <class Scalar>
  void copy_along(Index first, Index count, Index at, Matrix<Scalar>& out) {
    const double largest = largest_number<Scalar>(options_);
    for (Index i = 0; i < count; ++i) {
      const Index sample = first + i * rows_.step();
      Scalar* numbers = out.col(at + i).data();
      const Index good =
          decode(array_, sample * dimension_, Index{1}, dimension_, largest, numbers);
      if (good < dimension_) note_bad<Scalar>({sample, good});
    }
  }

  /// Equal coordinates of all samples lie next to each other: small blocks keep both the reading
  /// and the writing within the cache.
  template <class Scalar>
  void copy_across(Index first, Index count, Index at, Matrix<Scalar>& out) {
    const Index most = std::max<Index>(1, kPiece / (rows_.step() * element_size()));
    for (Index i = 0; i < count; i += most) {
      const Index width = std::min(most, count - i);
      const Index sample = first + i * rows_.step();
      for (Index row = 0; row < dimension_; row += kTile) {
        const Index height = std::min(kTile, dimension_ - row);
        load_piece(row, height, sample, width);
        turn(row, height, sample, width, at + i, out);
      }
    }
  }

  /// Some coordinates of some samples, from the file to piece_.
  void load_piece(Index row, Index height, Index sample, Index width) {
    const Index span = (width - 1) * rows_.step() + 1;
    const auto bytes = static_cast<std::size_t>(span * element_size());
    piece_bytes_.resize(bytes * static_cast<std::size_t>(height));
    for (Index r = 0; r < height; ++r) {
      char* to = piece_bytes_.data() + static_cast<std::size_t>(r) * bytes;
      file_.read(byte_of((row + r) * total_ + sample), to, bytes);
    }
    piece_ = {array_.dtype, false, {height, span}, piece_bytes_};
  }

  template <class Scalar>
  void turn(Index row, Index height, Index sample, Index width, Index at, Matrix<Scalar>& out) {
    Scalar tile[kTile][kTile];
    for (Index i = 0; i < width; i += kTile) {
      const Index tile_width = std::min(kTile, width - i);
      for (Index r = 0; r < height; ++r) {
        decode_tile_row(r, row, i, sample, tile_width, tile[r]);
      }
      for (Index c = 0; c < tile_width; ++c) {
        for (Index r = 0; r < height; ++r) out(row + r, at + i + c) = tile[r][c];
      }
    }
  }

  /// Numbers i, i + 1, ... of row r of the piece.
  template <class Scalar>
  void decode_tile_row(Index r, Index row, Index i, Index sample, Index count, Scalar* out) {
    const Index step = rows_.step();
    const double largest = largest_number<Scalar>(options_);
    std::fill(out, out + count, Scalar{0});
    for (Index done = 0; done < count; ++done) {
      const Index element = r * piece_.shape[1] + (i + done) * step;
      done += decode(piece_, element, step, count - done, largest, out + done);
      if (done < count) note_bad<Scalar>({sample + (i + done) * step, row + r});
    }
  }

  template <class Scalar>
  void note_bad(BadNumber bad) {
    if (!bad_rows_) refuse_bad<Scalar>(bad);
    bad_.push_back(bad);
  }

  /// Tells of the bad samples and moves the good ones together; returns how many these are.
  template <class Scalar>
  Index drop_bad(Index first, Index count, Index at, Matrix<Scalar>& out) {
    std::stable_sort(bad_.begin(), bad_.end(), [](const BadNumber& a, const BadNumber& b) {
      return a.sample < b.sample;
    });
    Index good = 0;
    std::size_t next_bad = 0;
    for (Index i = 0; i < count; ++i) {
      const Index sample = first + i * rows_.step();
      if (next_bad < bad_.size() && bad_[next_bad].sample == sample) {
        tell<Scalar>(bad_[next_bad]);
        while (next_bad < bad_.size() && bad_[next_bad].sample == sample) ++next_bad;
        continue;
      }
      if (good < i) out.col(at + good) = out.col(at + i);
      ++good;
    }
    return good;
  }
  template <class Scalar>
  void tell(BadNumber bad) {
    try {
      refuse_bad<Scalar>(bad);
    } catch (const BadRowError& error) {
      bad_rows_->add(error.row);
    }
  }

  template <class Scalar>
  Index read_and_forget(Index count) {
    constexpr Index kAtOnce = 256;
    SampleBuffer<Scalar> buffer;
    Index skipped = 0;
    while (skipped < count) {
      const Index read = read_samples(std::min(count - skipped, kAtOnce), buffer).samples();
      if (read == 0) break;
      skipped += read;
    }
    return skipped;
  }

  Index element_size() const { return static_cast<Index>(array_.dtype.size); }
  std::size_t byte_of(Index element) const {
    const auto start = static_cast<std::size_t>(array_.data.data() - file_.bytes().data());
    return start + static_cast<std::size_t>(element) * array_.dtype.size;
  }

  template <class Scalar>
  [[noreturn]] void refuse_bad(BadNumber bad) const {
    const Position position = transpose_ ? Position{bad.coordinate + first_row_, bad.sample + 1}
                                         : Position{bad.sample + first_row_, bad.coordinate + 1};
    const Index element =
        along_ ? bad.sample * dimension_ + bad.coordinate : bad.coordinate * total_ + bad.sample;
    refuse_number(
        path_, bad.sample, position, decode_one(array_, element), largest_number<Scalar>(options_));
  }

  std::string path_;
  MappedFile file_;
  NpyArray array_;
  bool transpose_;
  bool along_;  // the numbers of a sample lie next to each other
  Index dimension_;
  Index total_;
  Index first_row_;
  ReadOptions options_;
  std::shared_ptr<BadRows> bad_rows_;
  RowSelector rows_;
  std::optional<Index> samples_;
  PastOfFile past_;
  NpyArray piece_;  // of samples that lie across the file
  std::vector<char> piece_bytes_;
  std::vector<BadNumber> bad_;  // of the samples that are copied just now
};

}  // namespace

std::unique_ptr<SampleReader> make_array_reader(MappedFile file,
                                                NpyArray array,
                                                const std::string& path,
                                                const ReadOptions& options,
                                                Index first_row) {
  return std::make_unique<ArrayReader>(std::move(file), std::move(array), path, options, first_row);
}

}  // namespace nodl::io
