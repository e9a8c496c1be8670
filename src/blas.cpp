#include "blas.h"

// OpenBLAS only; other BLAS libraries lack them and are used as they are. Its cblas.h declares them
// too, but not as weak.
// NOLINTBEGIN(readability-redundant-declaration)
extern "C" {
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
}
// NOLINTEND(readability-redundant-declaration)

namespace nodl::blas {

SerialSection::SerialSection() {
  if (openblas_get_num_threads == nullptr || openblas_set_num_threads == nullptr) return;
  threads_before_ = openblas_get_num_threads();
  if (threads_before_ != 1) openblas_set_num_threads(1);
}

SerialSection::~SerialSection() {
  if (threads_before_ > 1) openblas_set_num_threads(threads_before_);
}

}  // namespace nodl::blas
