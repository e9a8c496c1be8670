#define NODL_SIMD_BYTES 64
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kAvx512Float;
extern const Kernels<double> kAvx512Double;
const Kernels<float> kAvx512Float = kTable<float>;
const Kernels<double> kAvx512Double = kTable<double>;

extern Multiply<float>* const kMultiplyAvx512Float;
extern Multiply<double>* const kMultiplyAvx512Double;
Multiply<float>* const kMultiplyAvx512Float = multiply_matrices<float>;
Multiply<double>* const kMultiplyAvx512Double = multiply_matrices<double>;

}  // namespace nodl::simd
