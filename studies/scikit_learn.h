// Dictionaries by scikit-learn's online learners, where Python has it: the field's usual tools on
// the same stream.
#pragma once

#include <cstdint>
#include <string>

#include "nodl/types.h"

namespace nodl::study {

/// Whether a Python with scikit-learn can be run; looked for once.
bool scikit_learn_present();

/// What `estimator` (MiniBatchDictionaryLearning, MiniBatchNMF) learns from the columns of X, batch
/// by batch in their order: a column of the result is an atom. Throws ResourceError if Python
/// fails.
Matrix<double> scikit_learn_atoms(const std::string& estimator,
                                  const Matrix<double>& X,
                                  Index atoms,
                                  Index batch_size,
                                  std::uint64_t seed);

}  // namespace nodl::study
