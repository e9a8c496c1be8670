#include "nodl/memory.h"

#include <cmath>

#include "blas.h"
#include "nodl/error.h"

namespace nodl {
namespace {

constexpr Index kPanel = 64;          // atoms that are one piece of work
constexpr double kDenseEnough = 0.1;  // share of nonzeros above which GEMM beats sparse loops

/// For each atom the samples that use it: (sample, coefficient), in the order of samples.
template <class Scalar>
std::vector<std::vector<std::pair<Index, Scalar>>> uses_by_atom(const SparseColumns<Scalar>& C) {
  std::vector<std::vector<std::pair<Index, Scalar>>> uses(C.rows);
  for (Index i = 0; i < C.cols; ++i) {
    for (Index p = C.starts[i]; p < C.starts[i + 1]; ++p) {
      uses[C.indices[p]].emplace_back(i, C.values[p]);
    }
  }
  return uses;
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

void Memory::decay(const MemoryOptions& options, Index n, Index seen) {
  double factor = 1;
  if (options.memory == MemoryKind::Mairal) {
    factor = std::max(0.0, 1 - static_cast<double>(n) / static_cast<double>(seen + 1));
  } else if (options.memory == MemoryKind::HalfLife) {
    factor = std::exp2(-static_cast<double>(n) / options.half_life);
  }
  if (factor == 1) return;
  A_ *= factor;
  B_ *= factor;
}

template <class Scalar>
void Memory::accumulate(const Batch<Scalar>& batch,
                        const Codes<Scalar>& codes,
                        double sign,
                        ThreadPool& pool) {  // Alg.1 step 11
  const blas::SerialSection serial;
  const SparseColumns<Scalar> C = codes.columns.view();
  const Index m = B_.rows(), k = A_.rows(), n = C.cols;
  const double density =
      static_cast<double>(C.nonzeros()) / static_cast<double>(std::max<Index>(1, k * n));
  const bool by_gemm = density > kDenseEnough;
  const Matrix<Scalar> dense = by_gemm ? codes.columns.to_dense() : Matrix<Scalar>();
  const auto uses = uses_by_atom(C);
  pool.run((k + kPanel - 1) / kPanel, [&](Index panel, int) {
    const Index first = panel * kPanel, count = std::min(kPanel, k - first);
    if (by_gemm) {  // A: on and below the diagonal panel only; mirrored afterwards
      Matrix<Scalar> product(k - first, count);
      blas::gemm(false,
                 true,
                 k - first,
                 count,
                 n,
                 Scalar(1),
                 &dense(first, 0),
                 k,
                 &dense(first, 0),
                 k,
                 Scalar(0),
                 product.data(),
                 k - first);
      A_.block(first, first, k - first, count) += sign * product.template cast<double>();
    } else {
      for (Index j = first; j < first + count; ++j) {
        for (const auto& [i, value] : uses[j]) {
          const double weight = sign * value;
          for (Index p = C.starts[i]; p < C.starts[i + 1]; ++p) {
            if (C.indices[p] >= j) A_(C.indices[p], j) += weight * C.values[p];
          }
        }
      }
    }
    if (by_gemm && !batch.is_sparse()) {  // B += X C^T
      Matrix<Scalar> product(m, count);
      blas::gemm(false,
                 true,
                 m,
                 count,
                 n,
                 Scalar(1),
                 batch.sample(0),
                 batch.stride(),
                 &dense(first, 0),
                 k,
                 Scalar(0),
                 product.data(),
                 m);
      B_.middleCols(first, count) += sign * product.template cast<double>();
      return;
    }
    for (Index j = first; j < first + count; ++j) {
      for (const auto& [i, value] : uses[j]) {
        const double weight = sign * value;
        if (batch.is_sparse()) {
          const SparseColumns<Scalar>& x = batch.columns();
          for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
            B_(x.indices[p], j) += weight * x.values[p];
          }
        } else {
          B_.col(j) +=
              weight * Eigen::Map<const Vector<Scalar>>(batch.sample(i), m).template cast<double>();
        }
      }
    }
  });
  for (Index j = 1; j < k; ++j) {
    for (Index i = 0; i < j; ++i) A_(i, j) = A_(j, i);
  }
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

template void Memory::accumulate(const Batch<double>&, const Codes<double>&, double, ThreadPool&);
template void Memory::accumulate(const Batch<float>&, const Codes<float>&, double, ThreadPool&);

}  // namespace nodl
