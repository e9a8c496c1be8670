#include <gtest/gtest.h>

#include <memory>

#include "blas.h"

extern "C" {
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
}

namespace nodl::blas {
namespace {

TEST(SerialSection, LastsUntilTheLastOneEndsInWhateverOrder) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "BLAS is not OpenBLAS";
  openblas_set_num_threads(2);
  const int before = openblas_get_num_threads();
  auto first = std::make_unique<SerialSection>();
  auto second = std::make_unique<SerialSection>(2);
  EXPECT_EQ(openblas_get_num_threads(), 1);
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1) << "the second is still open";
  second.reset();
  EXPECT_EQ(openblas_get_num_threads(), before);
  openblas_set_num_threads(1);
  { const SerialSection nothing_to_do; }
  EXPECT_EQ(openblas_get_num_threads(), 1);
}

}  // namespace
}  // namespace nodl::blas
