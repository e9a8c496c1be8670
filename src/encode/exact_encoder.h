// Any coder, for any batch: sample by sample in float64.
#pragma once

#include "nodl/encoder.h"

namespace nodl {

Codes<double> encode_exactly(const CodingDictionary<double>& dictionary,
                             const Batch<double>& batch,
                             const CodingOptions& options,
                             const BisectionOptions& bisection,
                             ThreadPool& pool);
/// float32 samples and atoms are coded in float64 and the codes rounded: on correlated atoms a
/// float32 Gram matrix alone misses the promised optimality (by 2.5 times at lambda = 1e-4
/// lambda_max).
Codes<float> encode_exactly(const CodingDictionary<float>& dictionary,
                            const Batch<float>& batch,
                            const CodingOptions& options,
                            const BisectionOptions& bisection,
                            ThreadPool& pool);

}  // namespace nodl
