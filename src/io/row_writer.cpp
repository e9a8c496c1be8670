#include "io/byte_source.h"
#include "io/row_writers.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

std::unique_ptr<RowWriter> RowWriter::create(const std::string& path, Index columns) {
  if (has_ending(path, ".npy")) return make_npy_writer(path, columns);
  if (has_ending(path, ".csv")) return make_text_writer(path, columns, ',');
  if (has_ending(path, ".tsv")) return make_text_writer(path, columns, '\t');
  if (has_ending(path, ".npz")) return make_npz_writer(path, columns);
  if (has_ending(path, ".mtx")) return make_mtx_writer(path, columns);
  throw InvalidOptions(path + ": expected a name that ends in .npy, .csv, .tsv, .npz or .mtx");
}

template <class Scalar>
void write_rows(const std::string& path, const Matrix<Scalar>& columns) {
  const std::unique_ptr<RowWriter> writer = RowWriter::create(path, columns.rows());
  writer->write(ConstMatrixView<Scalar>(
      columns.data(), columns.rows(), columns.cols(), Eigen::OuterStride<>(columns.rows())));
  writer->finish();
}
template void write_rows(const std::string&, const Matrix<double>&);
template void write_rows(const std::string&, const Matrix<float>&);

Matrix<double> read_rows(const std::string& path) {
  const std::unique_ptr<SampleReader> reader = open_samples(path);
  SampleBuffer<double> buffer;
  const Batch<double> all = reader->read(std::numeric_limits<Index>::max(), buffer);
  if (all.is_sparse()) return buffer.sparse.to_dense();
  return all.matrix();
}

}  // namespace nodl::io
