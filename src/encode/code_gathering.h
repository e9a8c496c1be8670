// Codes of single samples, found by several threads in any order, and how they become those of a
// batch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "encode/solver.h"
#include "nodl/encoder.h"

namespace nodl {

template <class Scalar>
class CodeGathering {
 public:
  CodeGathering(Index samples, Index atoms, const ThreadPool& pool)
      : atoms_(atoms), places_(samples), found_(pool.threads()) {}

  /// The code of a sample, with its atoms in rising order and without zeros: each atom sets a bit,
  /// and the bits are read in their order, which takes no comparisons. Rounded to Scalar.
  template <class Computed>
  void put(Index sample, int thread, const SampleCode<Computed>& code) {
    Found& mine = found_[thread];
    if (mine.value_of.empty()) {
      mine.used.resize((atoms_ + 63) / 64);
      mine.value_of.resize(atoms_);
    }
    for (std::size_t t = 0; t < code.atoms.size(); ++t) {
      const std::size_t atom = code.atoms[t];
      const Scalar value = static_cast<Scalar>(code.values[t]);
      const std::uint64_t is_used = value != 0 ? 1 : 0;
      mine.used[atom / 64] |= is_used << (atom % 64);
      mine.value_of[atom] = value;
    }
    const Index first = static_cast<Index>(mine.values.size());
    for (std::size_t word = 0; word < mine.used.size(); ++word) {
      for (std::uint64_t bits = std::exchange(mine.used[word], 0); bits != 0; bits &= bits - 1) {
        const std::size_t atom = 64 * word + std::countr_zero(bits);
        mine.atoms.push_back(static_cast<RowIndex>(atom));
        mine.values.push_back(mine.value_of[atom]);
      }
    }
    const Index nonzeros = static_cast<Index>(mine.values.size()) - first;
    places_[sample] = {thread, first, nonzeros, static_cast<Scalar>(code.lambda)};
  }

  Codes<Scalar> codes(ThreadPool& pool) const {
    constexpr Index kPiece = 64;
    const Index n = static_cast<Index>(places_.size());
    Codes<Scalar> codes;
    SparseMatrix<Scalar>& c = codes.columns;
    c.rows = atoms_;
    c.starts.reserve(n + 1);
    codes.lambda.reserve(n);
    for (const Place& place : places_) {
      c.starts.push_back(c.starts.back() + place.nonzeros);
      codes.lambda.push_back(place.lambda);
    }
    c.indices.resize(c.starts.back());
    c.values.resize(c.starts.back());
    pool.run((n + kPiece - 1) / kPiece, [&](Index piece, int) {
      for (Index i = piece * kPiece; i < std::min(n, (piece + 1) * kPiece); ++i) {
        const auto& [thread, first, nonzeros, lambda] = places_[i];
        std::copy_n(found_[thread].atoms.data() + first, nonzeros, c.indices.data() + c.starts[i]);
        std::copy_n(found_[thread].values.data() + first, nonzeros, c.values.data() + c.starts[i]);
      }
    });
    return codes;
  }

 private:
  struct alignas(128) Found {  // by one thread: its own cache lines, and the one that comes along
    std::vector<RowIndex> atoms;
    std::vector<Scalar> values;
    std::vector<std::uint64_t> used;  // a bit for each atom; room for one sample
    std::vector<Scalar> value_of;     // of the atoms whose bits are set
  };
  struct Place {
    int thread = 0;
    Index first = 0, nonzeros = 0;
    Scalar lambda = 0;
  };
  Index atoms_;
  std::vector<Place> places_;
  std::vector<Found> found_;
};

}  // namespace nodl
