#include "io/atomic_file.h"
#include "io/npy_header.h"
#include "io/row_writers.h"

namespace nodl::io {
namespace {

/// The first block decides between float64 and float32.
class NpyWriter : public DenseWriter<NpyWriter> {
 public:
  NpyWriter(const std::string& path, Index columns) : DenseWriter<NpyWriter>(columns), file_(path) {
    file_.output().write(header(0));
  }

  template <class Scalar>
  void write_row(const Scalar* values) {
    if (!started_) is_float_ = std::is_same_v<Scalar, float>;
    started_ = true;
    const std::size_t size = static_cast<std::size_t>(columns());
    if (is_float_ == std::is_same_v<Scalar, float>) {
      file_.output().write(values, size * sizeof(Scalar));
    } else if (is_float_) {
      const std::vector<float> converted(values, values + size);
      file_.output().write(converted.data(), size * sizeof(float));
    } else {
      const std::vector<double> converted(values, values + size);
      file_.output().write(converted.data(), size * sizeof(double));
    }
  }

  void complete() {
    file_.output().overwrite(0, header(rows()));
    file_.commit();
  }

 private:
  std::string header(Index row_count) const {
    return make_npy_header(is_float_ ? npy_descr<float>() : npy_descr<double>(),
                           {row_count, columns()});
  }

  AtomicFile file_;
  bool started_ = false;
  bool is_float_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> make_npy_writer(const std::string& path, Index columns) {
  return std::make_unique<NpyWriter>(path, columns);
}

}  // namespace nodl::io
