// The atoms as coding sees them: raw, scaled to unit norm, or centred and scaled.
#pragma once

#include "nodl/batch.h"
#include "nodl/dictionary.h"
#include "nodl/options.h"
#include "nodl/thread_pool.h"

namespace nodl {

/// D1 with columns (d_j - mean_j 1) / norm_j. Sparse atoms stay sparse: their mean enters as a
/// correction, so that no dense copy of a sparse D is ever made. A zero atom (and, centred, a
/// constant one) is zero here. The dictionary must outlive this object and not change.
template <class Scalar>
class CodingDictionary {
 public:
  CodingDictionary(const Dictionary<Scalar>& dictionary, AtomNorm norm);

  Index dimension() const { return dictionary_->dimension(); }
  Index size() const { return dictionary_->size(); }
  AtomNorm norm() const { return norm_; }
  const Dictionary<Scalar>& dictionary() const { return *dictionary_; }

  /// D1^T D1, k x k, both triangles. `known` is that of the first atoms, or empty: all the sparse
  /// ones must be among them.
  Matrix<Scalar> gram(ThreadPool& pool, const Matrix<Scalar>& known = {}) const;
  /// out = D1^T x for the samples of the batch; k x n, column-major, leading dimension k. Those of
  /// the first `known` atoms stand there already.
  void correlate(const Batch<Scalar>& batch, Scalar* out, Index known = 0) const;
  /// out_t = d_j^T x for the chosen atoms j; x has m numbers.
  void correlate(Index count, const RowIndex* atoms, const Scalar* x, Scalar* out) const;
  /// out = x - D1 c for one sparse code.
  void residual(
      Index count, const RowIndex* atoms, const Scalar* code, const Scalar* x, Scalar* out) const;
  /// D1 c of one sparse code is out + constant: adds to `out` (m numbers) what the storage shows
  /// and returns the constant that centring adds to every coordinate.
  Scalar synthesize(Index count, const RowIndex* atoms, const Scalar* code, Scalar* out) const;
  /// The same for sparse storage only, listing the coordinates that were touched for the first time
  /// (marked[row] turns true). Only if stored_sparse().
  Scalar synthesize(Index count,
                    const RowIndex* atoms,
                    const Scalar* code,
                    Scalar* out,
                    std::vector<bool>& marked,
                    std::vector<RowIndex>& touched) const;
  bool stored_sparse() const { return dictionary_->sparse_size() == dictionary_->size(); }
  /// out = D1 V for dense V (k x n); what LSQR needs.
  void multiply(const Matrix<Scalar>& V, Matrix<Scalar>& out) const;
  Matrix<Scalar> to_dense() const;

 private:
  const Matrix<Scalar>& dense() const;
  void correlate_sparse_atoms(const Batch<Scalar>& batch, Scalar* out) const;
  void correlate_dense_atoms(const Batch<Scalar>& batch, Index first, Scalar* out) const;

  const Dictionary<Scalar>* dictionary_;
  AtomNorm norm_;
  Vector<Scalar> scale_;       // 1 / norm_j; 0 for a zero atom
  Vector<Scalar> offset_;      // mean_j / norm_j
  Matrix<Scalar> normalised_;  // the dense block, normalised; empty if raw
  // The sparse block by rows: atoms that touch a coordinate. Cost of products then follows
  // nonzeros.
  SparseMatrix<Scalar> by_row_;
};

}  // namespace nodl
