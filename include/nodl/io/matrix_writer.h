// Matrices to files, atomically: the file appears whole under its name or not at all.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl::io {

/// Writes to a temporary file beside `path`, syncs it, renames it and syncs the folder. Throws
/// ResourceError and leaves `path` as it was if anything fails.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Removes what killed writers of `path` left beside it; files that somebody is writing stay.
void remove_leftovers(const std::string& path);

/// Rows of a file, written one block after the other; the file appears at finish(). The format
/// follows the name: .npy, .csv, .tsv (dense), .npz (CSR as scipy reads it), .mtx (coordinate,
/// if blocks are sparse; array, if dense). The first block decides between float64 and float32.
/// Throws InvalidOptions for another name, ResourceError that says why it cannot be written.
/// Without finish() nothing stays on the disk.
class RowWriter {
 public:
  static std::unique_ptr<RowWriter> create(const std::string& path, Index columns);
  virtual ~RowWriter() = default;

  /// One row of the file a column of the block. A sparse block in a dense format is filled with
  /// zeros; a dense block in a sparse format is stored by its nonzeros.
  virtual void write(const ConstMatrixView<double>& block) = 0;
  virtual void write(const ConstMatrixView<float>& block) = 0;
  virtual void write(const SparseColumns<double>& block) = 0;
  virtual void write(const SparseColumns<float>& block) = 0;
  virtual void finish() = 0;
};

/// A dense matrix as .npy, .csv, ...; a column of the matrix is a row of the file.
template <class Scalar>
void write_rows(const std::string& path, const Matrix<Scalar>& columns);
/// Any file of samples as a dense matrix, whole; a row of the file is a column.
Matrix<double> read_rows(const std::string& path);

}  // namespace nodl::io
