// What a run gives besides its test results, where the study asks for it: pictures of D and A, the
// structure of A in numbers, reconstructions, classification.
#pragma once

#include "nodl/learner.h"
#include "studies/execute.h"

namespace nodl::study {

/// products: {"supports": {}, "memory": {}, "reconstructions": {...}, "data": {...}, ...}
template <class Scalar>
void add_products(Learner<Scalar>& learner,
                  const PlannedRun& run,
                  const DataFolder& data,
                  RunResult& result);

/// Sec. 3.1 and 5: how A ties atoms to each other, in numbers.
std::map<std::string, double> structure_of_memory(const Matrix<double>& A,
                                                  const std::vector<AtomRecord>& records);

/// Grey levels 0..255, row by row, as the page wants them.
Json raster(const Matrix<double>& values, double black, double white);

}  // namespace nodl::study
