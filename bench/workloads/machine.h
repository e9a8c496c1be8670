// What this machine reaches on one thread, measured in the same run as the workloads.
#pragma once

#include "blas.h"
#include "measure.h"
#include "nodl/types.h"

namespace nodl::bench {

struct MachineRate {
  double gemm = 0;    // flops a second, matrices of 768 x 768
  double gemv = 0;    // flops a second, a matrix of 256 x 256 that stays in the cache
  double stream = 0;  // bytes a second, read and written, of a vector far larger than the cache
};

template <class Scalar>
MachineRate measure_machine() {
  const blas::SerialSection serial;
  const Index n = 768, v = 256;
  const Matrix<Scalar> a = Matrix<Scalar>::Random(n, n), b = Matrix<Scalar>::Random(n, n);
  Matrix<Scalar> c(n, n);
  const double gemm = least_cpu_seconds(
      [&] {
        blas::gemm(
            false, false, n, n, n, Scalar(1), a.data(), n, b.data(), n, Scalar(0), c.data(), n);
      },
      0.3);
  constexpr int kCalls = 1000;  // one is too short for the clock
  const double gemv = least_cpu_seconds([&] {
    for (int i = 0; i < kCalls; ++i) {
      blas::gemv(v, v, Scalar(1), a.data(), v, b.data(), Scalar(0), c.data());
    }
  });
  Vector<Scalar> large = Vector<Scalar>::Ones((Index(64) << 20) / sizeof(Scalar));
  const double stream = least_cpu_seconds([&] { large *= Scalar(1.0001); });
  return {2.0 * n * n * n / gemm,
          2.0 * v * v * kCalls / gemv,
          2.0 * static_cast<double>(large.size()) * sizeof(Scalar) / stream};
}

}  // namespace nodl::bench
