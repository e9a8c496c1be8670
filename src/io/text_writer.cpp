#include "io/number_text.h"
#include "io/row_writers.h"

namespace nodl::io {
namespace {

class TextWriter : public DenseWriter<TextWriter> {
 public:
  TextWriter(const std::string& path, Index columns, char delimiter)
      : DenseWriter<TextWriter>(columns), file_(path), delimiter_(delimiter) {}

  template <class Scalar>
  void write_row(const Scalar* values) {
    for (Index i = 0; i < columns(); ++i) {
      if (i > 0) file_.output().write(&delimiter_, 1);
      write_number(file_.output(), values[i]);
    }
    file_.output().write("\n");
  }
  void complete() { file_.commit(); }

 private:
  AtomicFile file_;
  char delimiter_;
};

}  // namespace

std::unique_ptr<RowWriter> make_text_writer(const std::string& path,
                                            Index columns,
                                            char delimiter) {
  return std::make_unique<TextWriter>(path, columns, delimiter);
}

}  // namespace nodl::io
