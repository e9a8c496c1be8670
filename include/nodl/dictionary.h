// The dictionary D (m x k) and what is known of each atom.
#pragma once

#include <cstdint>
#include <vector>

#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl {

/// What an atom keeps for life.
struct AtomRecord {
  std::int64_t id = 0;           // never used again for another atom
  std::int64_t birth_batch = 0;  // 0: there from the start
  std::int64_t uses = 0;         // training samples whose code used it
  std::int64_t last_use = 0;     // batch of the last use; 0: never
  std::int64_t slot = -1;  // its column in the layout `slots` of codes (nodl/slots.h); -1: none

  bool operator==(const AtomRecord&) const = default;
};

/// Atoms 0 .. sparse_size()-1 are stored sparse, the others dense. Where atoms are to be sparse
/// (atom_nonzeros < m) only those drawn since the last update are dense; else all are.
template <class Scalar>
class Dictionary {
 public:
  explicit Dictionary(Index dimension = 0);
  /// Sparse atoms first, then dense ones (m x any number, also none), a record for each.
  Dictionary(SparseMatrix<Scalar> sparse, Matrix<Scalar> dense, std::vector<AtomRecord> records);

  Index dimension() const { return sparse_.rows; }
  Index size() const { return sparse_.cols() + dense_.cols(); }
  Index sparse_size() const { return sparse_.cols(); }
  Index alive() const;  // atoms that are not zero

  SparseColumns<Scalar> sparse_block() const { return sparse_.view(); }
  const Matrix<Scalar>& dense_block() const { return dense_; }
  Matrix<Scalar>& dense_block() { return dense_; }
  const std::vector<AtomRecord>& records() const { return records_; }
  std::vector<AtomRecord>& records() { return records_; }

  void copy_atom(Index j, Scalar* out) const;  // m numbers
  bool is_zero(Index j) const;
  Matrix<Scalar> to_dense() const;
  template <class Other>
  Dictionary<Other> cast() const;  // the same atoms in another precision, stored the same way

  /// Step 7: D <- [D D_n].
  void append(const Matrix<Scalar>& atoms, const std::vector<AtomRecord>& records);
  /// All atoms anew, stored sparse; records stay.
  void replace_by_sparse(SparseMatrix<Scalar> atoms);
  /// One atom anew; keeps the way it is stored.
  void replace_atom(Index j, const Scalar* values);
  /// Atoms j with keep[j] stay, in their order, untouched.
  void keep(const std::vector<bool>& keep);

 private:
  SparseMatrix<Scalar> sparse_;
  Matrix<Scalar> dense_;  // m x (size - sparse_size)
  std::vector<AtomRecord> records_;
};

}  // namespace nodl
