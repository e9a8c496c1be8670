#define NODL_SIMD_BYTES 32
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kAvx2Float;
extern const Kernels<double> kAvx2Double;
const Kernels<float> kAvx2Float = kTable<float>;
const Kernels<double> kAvx2Double = kTable<double>;

}  // namespace nodl::simd
