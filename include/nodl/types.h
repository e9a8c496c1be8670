// Matrices and indices. A sample, an atom and a code are columns.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace nodl {

using Index = Eigen::Index;
using RowIndex = std::int32_t;  // index into a sample or an atom; m < 2^31

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using ConstMatrixView = Eigen::Map<const Matrix<Scalar>, 0, Eigen::OuterStride<>>;

}  // namespace nodl
