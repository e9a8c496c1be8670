#define NODL_SIMD_BYTES 64
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kAvx512Float;
extern const Kernels<double> kAvx512Double;
const Kernels<float> kAvx512Float = table<float>;
const Kernels<double> kAvx512Double = table<double>;

}  // namespace nodl::simd
