// What this machine reaches on one thread, measured in the same run as the workloads.
#pragma once

#include <cblas.h>

#include <algorithm>

#include "measure.h"
#include "nodl/types.h"
#include "simd/kernels.h"

extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace nodl::bench {

struct MachineRate {
  double gemm = 0;    // flops a second, matrices of 768 x 768, by the better of BLAS and our own
  double gemv = 0;    // flops a second, a matrix of 256 x 256 that stays in the cache
  double stream = 0;  // bytes a second, read and written, of a vector far larger than the cache
};

inline void blas_gemm(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
inline void blas_gemm(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <class Scalar>
MachineRate measure_machine() {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  const Index n = 768, v = 256;
  const Matrix<Scalar> a = Matrix<Scalar>::Random(n, n), b = Matrix<Scalar>::Random(n, n);
  Matrix<Scalar> c(n, n);
  const double by_blas =
      least_cpu_seconds([&] { blas_gemm(n, a.data(), b.data(), c.data()); }, 0.3);
  const double by_ours = least_cpu_seconds(
      [&] {
        simd::multiply<Scalar>(
            simd::Product::Set, n, n, n, {a.data(), n}, {b.data(), n}, c.data(), n);
      },
      0.3);
  const double gemm = std::min(by_blas, by_ours);
  constexpr int kCalls = 1000;  // one is too short for the clock
  const double gemv = least_cpu_seconds([&] {
    for (int i = 0; i < kCalls; ++i) {
      simd::kernels<Scalar>().subtract_rows(
          v, v, a.data(), v, b.data(), Scalar(1), c.data(), c.data() + v);
    }
  });
  Vector<Scalar> large = Vector<Scalar>::Ones((Index(64) << 20) / sizeof(Scalar));
  const double stream = least_cpu_seconds([&] { large *= Scalar(1.0001); });
  return {2.0 * n * n * n / gemm,
          2.0 * v * v * kCalls / gemv,
          2.0 * static_cast<double>(large.size()) * sizeof(Scalar) / stream};
}

}  // namespace nodl::bench
