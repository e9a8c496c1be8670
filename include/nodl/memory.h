// The memories A (k x k) and B (m x k) of Alg. 1, step 11. Always double: sums over endless
// streams.
#pragma once

#include <vector>

#include "nodl/batch.h"
#include "nodl/encoder.h"
#include "nodl/options.h"
#include "nodl/thread_pool.h"
#include "nodl/types.h"

namespace nodl {

class Memory {
 public:
  explicit Memory(Index dimension = 0, Index atoms = 0);
  Memory(Matrix<double> A, Matrix<double> B);

  const Matrix<double>& A() const { return A_; }
  const Matrix<double>& B() const { return B_; }

  /// Step 8: zero rows and columns for new atoms.
  void grow(Index births);
  /// The share of each atom's past that is kept before a batch of n samples, `seen` samples having
  /// been learned; empty: all of it.
  Vector<double> kept(const MemoryOptions& options, Index n, Index seen) const;
  /// Step 11: A += sign C C^T, B += sign X C^T, after the past has faded to `kept` of it. sign = -1
  /// takes a batch out again (ODL*). Returns how many samples use each atom.
  template <class Scalar>
  std::vector<Index> accumulate(const Batch<Scalar>& batch,
                                const Codes<Scalar>& codes,
                                double sign,
                                ThreadPool& pool,
                                const Vector<double>& kept = {});
  /// Rows and columns j with keep[j] stay, untouched.
  void keep(const std::vector<bool>& keep);

 private:
  void fade(Index atom, const Vector<double>& kept, bool alike);

  Matrix<double> A_;
  Matrix<double> B_;
};

}  // namespace nodl
