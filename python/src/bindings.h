// The parts of the module nodl._core.
#pragma once

#include <pybind11/pybind11.h>

namespace nodl::python {

void bind_learners(pybind11::module_& module);
void bind_functions(pybind11::module_& module);

}  // namespace nodl::python
