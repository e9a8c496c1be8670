#include <algorithm>

#include "io/number_text.h"
#include "io/row_writers.h"
#include "io/spool.h"

namespace nodl::io {
namespace {

// Numbers of an array that are turned in memory at once.
constexpr Index kTurnedNumbers = Index{1} << 22;

/// The first block decides: sparse, coordinate; dense, array.
class MtxWriter : public TypedWriter<MtxWriter> {
 public:
  MtxWriter(const std::string& path, Index columns)
      : TypedWriter<MtxWriter>(columns), path_(path), file_(path) {}

  template <class Scalar>
  void write_sparse(const SparseColumns<Scalar>& block) {
    if (layout_ == Layout::Unknown) begin_coordinate();
    if (layout_ == Layout::Coordinate) {
      write_entries(block);
      return;
    }
    SparseMatrix<Scalar> copy;  // rows of a sparse block within an array
    copy.rows = block.rows;
    visit_columns(block, copy);
    write_dense(ConstMatrixView<Scalar>(dense_copy(copy)));
  }

  template <class Scalar>
  void write_dense(const ConstMatrixView<Scalar>& block) {
    if (layout_ == Layout::Unknown) layout_ = Layout::Array;
    if (layout_ == Layout::Coordinate) {
      write_entries(block);
      return;
    }
  }

  void complete() {}

 private:
  enum class Layout { Unknown, Coordinate, Array };
  std::string path_;
  AtomicFile file_;
  Layout layout_ = Layout::Unknown;
};

}  // namespace
}  // namespace nodl::io
