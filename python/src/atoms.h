// Atoms that a caller gives, one a row.
#pragma once

#include <sstream>

#include "nodl/error.h"
#include "nodl/io/sample_stream.h"
#include "samples.h"

namespace nodl::python {

inline const py::object& require_array(const py::object& atoms) {
  if (!py::isinstance<py::array>(atoms)) throw py::type_error("atoms must be an array");
  return atoms;
}

/// Throws DataError if an atom holds a number that `nodl import` refuses, too: too large to be
/// squared, or not finite.
template <class Scalar>
void require_usable(const Batch<Scalar>& atoms) {
  const double most = io::largest_usable<Scalar>({});
  if (atoms.dimension() == 0) return;
  for (Index j = 0; j < atoms.samples(); ++j) {
    const double largest =
        atoms.matrix().col(j).cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    if (largest <= most) continue;
    std::ostringstream text;
    text << "atom " << j + 1 << " holds a number of size " << largest << ", expected at most "
         << most << ": its square would overflow";
    throw DataError(text.str());
  }
}

}  // namespace nodl::python
