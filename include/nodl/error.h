// What a caller can do wrong. Numerical outcomes (not converged, atom died) are never thrown.
#pragma once

#include <stdexcept>

namespace nodl {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// An option out of its range, or options that contradict each other.
struct InvalidOptions : Error {
  using Error::Error;
};
/// Samples, codes or a dictionary of another size than expected.
struct ShapeMismatch : Error {
  using Error::Error;
};
/// Input that cannot be opened, read or understood; the message says where.
struct DataError : Error {
  using Error::Error;
};
/// A model file that cannot be opened, read or understood.
struct ModelError : Error {
  using Error::Error;
};
/// An output that cannot be written, or memory that cannot be had.
struct ResourceError : Error {
  using Error::Error;
};

}  // namespace nodl
