// Least squares codes of many samples by LSQR (Paige, Saunders, 1982), with the stopping tests of
// MATLAB's lsqr, which the authors used: PAPER_VS_CODE 2.1.
#pragma once

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"
#include "nodl/thread_pool.h"

namespace nodl {

/// The dictionary turned into what LSQR needs, once for all samples. LSQR does not change if rows
/// are rotated. Where no sparse atom has an entry (most rows of a sparse problem), a residual is a
/// combination of the sample, the ones (centring) and the few dense atoms; so all those rows
/// together become one row for each of these directions. Products cost nonzeros then. Dense atoms
/// that are much fewer than rows are turned into a triangle.
class LsqrDictionary {
 public:
  /// `samples`: how many will be coded with it.
  LsqrDictionary(const CodingDictionary<double>& dictionary, Index samples, ThreadPool& pool);

  /// Codes (k x n) from a zero start: after at most `iterations` steps (0: no cap) an
  /// early-stopped, in the end the minimum-norm, least-squares solution. Each sample stops on its
  /// own.
  void solve(const Batch<double>& batch, Index iterations, Matrix<double>& codes) const;

 private:
  friend class LsqrGroup;

  bool factorise(ThreadPool& pool);
  Matrix<double> turned(const Batch<double>& batch) const;
  void multiply(const Matrix<double>& v, Matrix<double>& out) const;
  void correlate(const Matrix<double>& u, Matrix<double>& out) const;
  bool compress();
  bool turn(const Matrix<double>& rest, Index k_d);
  Index cap(Index iterations) const;
  void solve_in_step(const Batch<double>& batch, Index iterations, Matrix<double>& codes) const;

  const CodingDictionary<double>* dictionary_;
  bool factorised_ = false;         // dense_ is R and a row of zeros
  bool compressed_ = false;         // if neither, the plain dictionary is used
  Index active_ = 0;                // rows with entries of sparse atoms
  Index extra_ = 0;                 // rows that stand for all others
  std::vector<RowIndex> position_;  // of each row among the active ones; -1 - i: i-th other row
  SparseMatrix<double> atoms_;      // sparse atoms, normalised; rows are positions
  SparseMatrix<double> by_row_;     // their transpose
  Vector<double> offset_;           // what centring takes off every row of a sparse atom
  bool centred_ = false;
  Matrix<double> dense_;  // k_d x (active + extra): the dense atoms' entries in each row
  Vector<double> ones_;   // the ones in the extra rows
  Matrix<double> basis_;  // extra x other rows: orthonormal rows
};

}  // namespace nodl
