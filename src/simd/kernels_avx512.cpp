// Only the matrix product: the other loops are too short for vectors of 64 bytes
// (docs/PERFORMANCE.md).
#define NODL_SIMD_BYTES 64
#include "simd/matrix_product.h"

namespace nodl::simd {

extern Multiply<float>* const kMultiplyAvx512Float;
extern Multiply<double>* const kMultiplyAvx512Double;
Multiply<float>* const kMultiplyAvx512Float = multiply_matrices<float>;
Multiply<double>* const kMultiplyAvx512Double = multiply_matrices<double>;

}  // namespace nodl::simd
