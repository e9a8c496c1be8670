#define NODL_SIMD_BYTES 16
#include "simd/kernels_body.h"

namespace nodl::simd {

extern const Kernels<float> kBaselineFloat;
extern const Kernels<double> kBaselineDouble;
const Kernels<float> kBaselineFloat = kTable<float>;
const Kernels<double> kBaselineDouble = kTable<double>;

extern Multiply<float>* const kMultiplyBaselineFloat;
extern Multiply<double>* const kMultiplyBaselineDouble;
Multiply<float>* const kMultiplyBaselineFloat = multiply_matrices<float>;
Multiply<double>* const kMultiplyBaselineDouble = multiply_matrices<double>;

}  // namespace nodl::simd
