#define NODL_SIMD_BYTES 32
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kAvx2Float;
extern const Kernels<double> kAvx2Double;
const Kernels<float> kAvx2Float = kTable<float>;
const Kernels<double> kAvx2Double = kTable<double>;

extern Multiply<float>* const kMultiplyAvx2Float;
extern Multiply<double>* const kMultiplyAvx2Double;
Multiply<float>* const kMultiplyAvx2Float = multiply_matrices<float>;
Multiply<double>* const kMultiplyAvx2Double = multiply_matrices<double>;

}  // namespace nodl::simd
