#define NODL_SIMD_BYTES 64
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kAvx512Float;
extern const Kernels<double> kAvx512Double;
const Kernels<float> kAvx512Float = kTable<float>;
const Kernels<double> kAvx512Double = kTable<double>;

}  // namespace nodl::simd
