// Least squares codes of several samples by LSQR (Paige, Saunders, 1982), with the stopping tests
// of MATLAB's lsqr, which the authors used: PAPER_VS_CODE 2.1.
#pragma once

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"

namespace nodl {

/// Codes (k x n) from a zero start: after at most `iterations` steps (0: no cap) an early-stopped,
/// in the end the minimum-norm, least-squares solution. Samples go in step, so that products with
/// the dictionary are matrix products; each stops on its own.
template <class Scalar>
Matrix<Scalar> lsqr(const CodingDictionary<Scalar>& dictionary,
                    const Batch<Scalar>& batch,
                    Index iterations);

}  // namespace nodl
