#include "nodl/memory.h"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "atom_panel.h"
#include "mirror.h"
#include "nodl/error.h"
#include "simd/kernels.h"

namespace nodl {
namespace {

// Atoms that are one piece of work: for a matrix product; few, where threads are to end together.
constexpr Index kPanel = 64;
constexpr Index kFewAtoms = 8;
constexpr Index kChunk = 2048;        // nonzeros that are worth another thread
constexpr double kFaintest = 1e-150;  // below which a_jj never decays
constexpr double kDenseEnough = 0.1;  // share of nonzeros above which GEMM beats sparse loops

/// Lets numbers that are needed soon come to the cache meanwhile; those to be written for this
/// thread alone.
enum class Intent { Read, Write };
template <Intent kIntent, class Scalar>
void bring_nearer(const Scalar* numbers, Index count) {
  constexpr Index kLine = 64 / sizeof(Scalar);
  for (Index i = 0; i < count; i += kLine)
    __builtin_prefetch(numbers + i, kIntent == Intent::Write);
}

/// The codes by atom: which samples use it, in their order, and with which coefficient. Sorted by
/// counting, each chunk of samples for itself, so that no two threads write side by side.
template <class Scalar>
class Uses {
 public:
  struct Use {
    RowIndex sample;
    Scalar value;
  };

  Uses(const SparseColumns<Scalar>& C, ThreadPool& pool)
      : atoms_(C.rows),
        chunks_(std::min<Index>(pool.threads(), C.nonzeros() / kChunk + 1)),
        starts_(std::make_unique_for_overwrite<Index[]>(chunks_ * (atoms_ + 2))),
        uses_(std::make_unique_for_overwrite<Use[]>(C.nonzeros())) {
    const auto first_of = [&](Index chunk) { return C.cols * chunk / chunks_; };
    pool.run(chunks_,
             [&](Index chunk, int) { sort(C, chunk, first_of(chunk), first_of(chunk + 1)); });
  }

  /// Calls visit(uses) with the uses of an atom in the samples of each chunk.
  template <class Visit>
  void each(Index atom, const Visit& visit) const {
    for (Index chunk = 0; chunk < chunks_; ++chunk) {
      const Index* start = starts_of(chunk) + atom;
      visit(std::span(uses_.get() + start[0], uses_.get() + start[1]));
    }
  }
  std::vector<Index> counts() const {
    std::vector<Index> counts(atoms_, 0);
    for (Index j = 0; j < atoms_; ++j) {
      each(j, [&](const auto& uses) { counts[j] += static_cast<Index>(uses.size()); });
    }
    return counts;
  }

 private:
  void sort(const SparseColumns<Scalar>& C, Index chunk, Index first, Index past) {
    Index* start = starts_of(chunk);
    std::fill_n(start, atoms_ + 2, 0);
    for (Index p = C.starts[first]; p < C.starts[past]; ++p) ++start[C.indices[p] + 2];
    start[0] = start[1] = C.starts[first];
    for (Index j = 0; j < atoms_; ++j) start[j + 2] += start[j + 1];
    // Now start[j + 1] is where the next use of atom j goes; in the end, where those of j + 1
    // begin.
    for (Index i = first; i < past; ++i) {
      for (Index p = C.starts[i]; p < C.starts[i + 1]; ++p) {
        uses_[start[C.indices[p] + 1]++] = {static_cast<RowIndex>(i), C.values[p]};
      }
    }
  }
  Index* starts_of(Index chunk) const { return &starts_[chunk * (atoms_ + 2)]; }

  Index atoms_, chunks_;
  std::unique_ptr<Index[]> starts_;  // of every atom, the end, and one for sorting; by chunk
  std::unique_ptr<Use[]> uses_;
};

/// a += sign sum_i value_i c_i.
template <class Scalar, class SomeUses>
void add_codes(const SparseColumns<Scalar>& C, const SomeUses& uses, double sign, double* a) {
  for (const auto& [i, value] : uses) {
    const double weight = sign * static_cast<double>(value);
    for (Index p = C.starts[i]; p < C.starts[i + 1]; ++p) {
      a[C.indices[p]] += weight * static_cast<double>(C.values[p]);
    }
  }
}

/// b += sign sum_i value_i x_i, some samples at a time so that b is read and written once for them.
template <class Scalar, class SomeUses>
void add_dense_samples(const Batch<Scalar>& batch, const SomeUses& uses, double sign, double* b) {
  constexpr std::size_t kAtOnce = 8;
  std::array<const Scalar*, kAtOnce> samples{};
  std::array<double, kAtOnce> weights{};
  for (std::size_t first = 0; first < uses.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, uses.size() - first);
    for (std::size_t t = 0; t < count; ++t) {
      const auto& [i, value] = uses[first + t];
      samples[t] = batch.sample(i);
      weights[t] = sign * static_cast<double>(value);
    }
    for (std::size_t t = first + kAtOnce; t < std::min(first + 2 * kAtOnce, uses.size()); ++t) {
      bring_nearer<Intent::Read>(batch.sample(uses[t].sample), batch.dimension());
    }
    simd::kernels<Scalar>().add_columns(
        batch.dimension(), static_cast<Index>(count), samples.data(), weights.data(), b);
  }
}

template <class Scalar, class SomeUses>
void add_sparse_samples(const SparseColumns<Scalar>& x,
                        const SomeUses& uses,
                        double sign,
                        double* b) {
  for (const auto& [i, value] : uses) {
    const double weight = sign * static_cast<double>(value);
    for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
      b[x.indices[p]] += weight * static_cast<double>(x.values[p]);
    }
  }
}

}  // namespace

Memory::Memory(Index dimension, Index atoms)
    : A_(Matrix<double>::Zero(atoms, atoms)), B_(Matrix<double>::Zero(dimension, atoms)) {}

Memory::Memory(Matrix<double> A, Matrix<double> B) : A_(std::move(A)), B_(std::move(B)) {
  if (A_.rows() != A_.cols() || B_.cols() != A_.cols()) throw ShapeMismatch("A and B do not match");
}

void Memory::grow(Index births) {  // Alg.1 step 8
  const Index k = A_.rows();
  A_.conservativeResize(k + births, k + births);
  A_.rightCols(births).setZero();
  A_.bottomRows(births).setZero();
  B_.conservativeResize(Eigen::NoChange, k + births);
  B_.rightCols(births).setZero();
}

Vector<double> Memory::kept(const MemoryOptions& options, Index n, Index seen) const {
  double factor = 1;
  if (options.memory == MemoryKind::Mairal) {
    factor = std::max(0.0, 1 - static_cast<double>(n) / static_cast<double>(seen + 1));
  } else if (options.memory == MemoryKind::HalfLife) {
    factor = std::exp2(-static_cast<double>(n) / options.half_life);
  }
  if (factor == 1) return {};
  // No atom fades to exactly nothing, which would make it look unused: a_jj stops at the floor.
  const Index k = A_.cols();
  Vector<double> kept(k);
  for (Index j = 0; j < k; ++j) {
    const double floor = A_(j, j) > 0 ? std::min(1.0, kFaintest / A_(j, j)) : 0;
    kept[j] = std::max(factor, floor);
  }
  return kept;
}

// A is scaled from both sides, so that it stays positive semidefinite where factors differ.
void Memory::fade(Index atom, const Vector<double>& kept, bool alike) {
  const auto& simd = simd::kernels<double>();
  if (alike) {
    simd.scale(A_.rows(), kept[atom], A_.col(atom).data());
  } else {
    A_.col(atom).array() *= (kept.array() * kept[atom]).sqrt();
  }
  simd.scale(B_.rows(), kept[atom], B_.col(atom).data());
}

template <class Scalar>
std::vector<Index> Memory::accumulate(const Batch<Scalar>& batch,
                                      const Codes<Scalar>& codes,
                                      double sign,
                                      ThreadPool& pool,
                                      const Vector<double>& kept) {  // Alg.1 step 11
  const SparseColumns<Scalar> C = codes.columns.view();
  const Index m = B_.rows(), k = A_.rows(), n = C.cols;
  if (n > std::numeric_limits<RowIndex>::max()) throw ShapeMismatch("more than 2^31 - 1 samples");
  const double density =
      static_cast<double>(C.nonzeros()) / static_cast<double>(std::max<Index>(1, k * n));
  const bool densely = density > kDenseEnough;  // then A and B by matrix products
  const simd::Product add = sign > 0 ? simd::Product::Add : simd::Product::Subtract;
  // Products in double as well: a sum of float32 products would not be positive semidefinite.
  const Matrix<double> dense =
      densely ? Matrix<double>(codes.columns.to_dense().template cast<double>()) : Matrix<double>();
  Matrix<double> converted;
  if (densely && !batch.is_sparse() && !std::is_same_v<Scalar, double>) {
    converted = batch.matrix().template cast<double>();
  }
  const Uses<Scalar> uses(C, pool);
  const bool fades = kept.size() > 0;
  const bool alike = fades && (kept.array() == kept[0]).all();
  const Index at_once = densely ? kPanel : kFewAtoms;
  const auto add_to_atoms = [&](Index piece, int) {
    const Index first = piece * at_once, count = std::min(at_once, k - first);
    if (densely) {  // A: on and below the diagonal panel only; mirrored afterwards
      for (Index j = first; fades && j < first + count; ++j) fade(j, kept, alike);
      simd::multiply<double>(add,
                             k - first,
                             count,
                             n,
                             {&dense(first, 0), k},
                             {&dense(first, 0), k, true},
                             &A_(first, first),
                             k);
    } else {  // both triangles: products commute, so A stays symmetric to the bit
      // A column at a time, just before it is added to, so that it comes to the cache once.
      for (Index j = first; j < first + count; ++j) {
        if (fades) fade(j, kept, alike);
        if (j + 1 < first + count) bring_nearer<Intent::Write>(A_.col(j + 1).data(), k);
        double* a = A_.col(j).data();
        uses.each(j, [&](const auto& some) { add_codes(C, some, sign, a); });
      }
    }
    if (densely && !batch.is_sparse()) {  // B += X C^T
      const double* x = converted.data();
      Index stride = m;
      if constexpr (std::is_same_v<Scalar, double>) {
        x = batch.sample(0);
        stride = batch.stride();
      }
      return simd::multiply<double>(
          add, m, count, n, {x, stride}, {&dense(first, 0), k, true}, &B_(0, first), m);
    }
    for (Index j = first; j < first + count; ++j) {
      double* b = B_.col(j).data();
      uses.each(j, [&](const auto& some) {
        if (batch.is_sparse()) return add_sparse_samples(batch.columns(), some, sign, b);
        add_dense_samples(batch, some, sign, b);
      });
    }
  };
  // Dealt as the update wants them.
  pool.run_dealt(
      (k + at_once - 1) / at_once, add_to_atoms, std::max<Index>(1, kAtomPanel / at_once));
  pool.run(densely ? (k + kPanel - 1) / kPanel : 0, [&](Index panel, int) {
    const Index first = panel * kPanel;
    mirror_panel(A_, first, std::min(kPanel, k - first), first);
  });
  return uses.counts();
}

void Memory::keep(const std::vector<bool>& keep) {
  Index kept = 0;
  std::vector<Index> from;
  for (Index j = 0; j < static_cast<Index>(keep.size()); ++j) {
    if (keep[j]) from.push_back(j);
  }
  for (const Index j : from) {  // never moves right, so nothing is overwritten before it is read
    for (std::size_t i = 0; i < from.size(); ++i) A_(static_cast<Index>(i), kept) = A_(from[i], j);
    if (kept != j) B_.col(kept) = B_.col(j);
    ++kept;
  }
  A_.conservativeResize(kept, kept);
  B_.conservativeResize(Eigen::NoChange, kept);
}

template std::vector<Index> Memory::accumulate(
    const Batch<double>&, const Codes<double>&, double, ThreadPool&, const Vector<double>&);
template std::vector<Index> Memory::accumulate(
    const Batch<float>&, const Codes<float>&, double, ThreadPool&, const Vector<double>&);

}  // namespace nodl
