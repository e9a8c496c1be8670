// The loops of kernels.h for vectors of NODL_SIMD_BYTES bytes. Everything here is local to the file
// that includes it and calls no inline function of another header: the linker must never take code
// that was compiled for a newer processor into the rest of the program.
#include "simd/matrix_product.h"
#include "simd/products.h"
#include "simd/scans.h"
#include "simd/transposition.h"

namespace nodl::simd {
namespace {

template <class Scalar>
constexpr Kernels<Scalar> kTable{.strongest = strongest<Scalar>,
                                 .largest = largest<Scalar>,
                                 .count_above = count_above<Scalar>,
                                 .all_within = all_within<Scalar>,
                                 .above = above<Scalar>,
                                 .dot = dot<Scalar>,
                                 .axpy = axpy<Scalar>,
                                 .add_columns = add_columns<Scalar>,
                                 .scale = scale<Scalar>,
                                 .scaled_copy = scaled_copy,
                                 .square = square<Scalar>,
                                 .add_scaled = add_scaled<Scalar>,
                                 .replace = replace<Scalar>,
                                 .gather = gather<Scalar>,
                                 .gather_group = gather_group<Scalar>,
                                 .project_group = project_group<Scalar>,
                                 .project_and_combine = project_and_combine<Scalar>,
                                 .subtract_rows = subtract_rows<Scalar>,
                                 .combine = combine<Scalar>,
                                 .residual = residual<Scalar>,
                                 .transpose = transpose<Scalar>,
                                 .solve_lower = solve_lower<Scalar>,
                                 .solve_upper = solve_upper<Scalar>,
                                 .rotate = rotate<Scalar>,
                                 .first_meeting = first_meeting<Scalar>,
                                 .first_zero = first_zero<Scalar>,
                                 .urgency = urgency<Scalar>};

}  // namespace
}  // namespace nodl::simd
