// The few BLAS calls we use, by precision. BLAS runs on the calling thread only: we share out work
// ourselves, in pieces that do not depend on the number of threads, so that bits do not either.
#pragma once

#include <cblas.h>

#include "nodl/types.h"

namespace nodl::blas {

inline int to_int(Index n) { return static_cast<int>(n); }

/// C = alpha op(A) op(B) + beta C, column-major; C is m x n, the inner dimension is p.
inline void gemm(bool transpose_a,
                 bool transpose_b,
                 Index m,
                 Index n,
                 Index p,
                 double alpha,
                 const double* a,
                 Index lda,
                 const double* b,
                 Index ldb,
                 double beta,
                 double* c,
                 Index ldc) {
  cblas_dgemm(CblasColMajor,
              transpose_a ? CblasTrans : CblasNoTrans,
              transpose_b ? CblasTrans : CblasNoTrans,
              to_int(m),
              to_int(n),
              to_int(p),
              alpha,
              a,
              to_int(lda),
              b,
              to_int(ldb),
              beta,
              c,
              to_int(ldc));
}
inline void gemm(bool transpose_a,
                 bool transpose_b,
                 Index m,
                 Index n,
                 Index p,
                 float alpha,
                 const float* a,
                 Index lda,
                 const float* b,
                 Index ldb,
                 float beta,
                 float* c,
                 Index ldc) {
  cblas_sgemm(CblasColMajor,
              transpose_a ? CblasTrans : CblasNoTrans,
              transpose_b ? CblasTrans : CblasNoTrans,
              to_int(m),
              to_int(n),
              to_int(p),
              alpha,
              a,
              to_int(lda),
              b,
              to_int(ldb),
              beta,
              c,
              to_int(ldc));
}

/// y = alpha A x + beta y; A is m x n.
inline void gemv(Index m,
                 Index n,
                 double alpha,
                 const double* a,
                 Index lda,
                 const double* x,
                 double beta,
                 double* y) {
  cblas_dgemv(
      CblasColMajor, CblasNoTrans, to_int(m), to_int(n), alpha, a, to_int(lda), x, 1, beta, y, 1);
}
inline void gemv(Index m,
                 Index n,
                 float alpha,
                 const float* a,
                 Index lda,
                 const float* x,
                 float beta,
                 float* y) {
  cblas_sgemv(
      CblasColMajor, CblasNoTrans, to_int(m), to_int(n), alpha, a, to_int(lda), x, 1, beta, y, 1);
}

/// While any lives, in whatever thread, BLAS uses one thread per caller; afterwards what it used
/// before. Up to `callers` threads of a section may call it at a time. Throws std::bad_alloc if
/// there is no room for their buffers: OpenBLAS would try to get one for ever.
class SerialSection {
 public:
  explicit SerialSection(int callers = 1);
  ~SerialSection();
  SerialSection(const SerialSection&) = delete;
  SerialSection& operator=(const SerialSection&) = delete;
};

}  // namespace nodl::blas
