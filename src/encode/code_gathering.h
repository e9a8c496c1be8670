// Codes of single samples, found by several threads in any order, and how they become those of a
// batch.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "encode/solver.h"
#include "nodl/encoder.h"

namespace nodl {

template <class Scalar>
class CodeGathering {
 public:
  CodeGathering(Index samples, const ThreadPool& pool) : places_(samples), found_(pool.threads()) {}

  /// The code of a sample, with its atoms in rising order and without zeros.
  void put(Index sample, int thread, const SampleCode<Scalar>& code) {
    Found& mine = found_[thread];
    mine.sorted.clear();
    for (std::size_t t = 0; t < code.atoms.size(); ++t) {
      if (code.values[t] != 0) mine.sorted.emplace_back(code.atoms[t], code.values[t]);
    }
    std::sort(mine.sorted.begin(), mine.sorted.end());
    places_[sample] = {thread,
                       static_cast<Index>(mine.values.size()),
                       static_cast<Index>(mine.sorted.size()),
                       code.lambda};
    for (const auto& [atom, value] : mine.sorted) {
      mine.atoms.push_back(static_cast<RowIndex>(atom));
      mine.values.push_back(value);
    }
  }

  Codes<Scalar> codes(Index k, ThreadPool& pool) const {
    constexpr Index kPiece = 64;
    const Index n = static_cast<Index>(places_.size());
    Codes<Scalar> codes;
    SparseMatrix<Scalar>& c = codes.columns;
    c.rows = k;
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
    std::vector<std::pair<Index, Scalar>> sorted;
    std::vector<RowIndex> atoms;
    std::vector<Scalar> values;
  };
  struct Place {
    int thread = 0;
    Index first = 0, nonzeros = 0;
    Scalar lambda = 0;
  };
  std::vector<Place> places_;
  std::vector<Found> found_;
};

}  // namespace nodl
