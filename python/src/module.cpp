#include "bindings.h"
#include "nodl/error.h"
#include "nodl/version.h"

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  module.doc() = "The learner of nodl; use it through the package `nodl`.";
  module.attr("__version__") = NODL_VERSION;
  py::register_exception<nodl::InvalidOptions>(module, "InvalidOptions", PyExc_ValueError);
  py::register_exception<nodl::ShapeMismatch>(module, "ShapeMismatch", PyExc_ValueError);
  py::register_exception<nodl::DataError>(module, "DataError", PyExc_ValueError);
  py::register_exception<nodl::ModelError>(module, "ModelError", PyExc_ValueError);
  py::register_exception<nodl::ResourceError>(module, "ResourceError", PyExc_OSError);
  nodl::python::bind_learners(module);
  nodl::python::bind_functions(module);
}
