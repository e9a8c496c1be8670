// The functional layer: proximal steps, correlations, codes for a plain dictionary.
#include <pybind11/stl.h>

#include "atoms.h"
#include "bindings.h"
#include "code_layout.h"
#include "nodl/encoder.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"
#include "nodl/metrics.h"
#include "nodl/prox.h"

namespace nodl::python {
namespace {

template <class Scalar>
std::span<Scalar> numbers(py::array_t<Scalar>& x) {
  if (x.ndim() != 1) throw py::value_error("expected one dimension");
  if (x.size() > 1 && x.strides(0) != sizeof(Scalar)) throw py::value_error("expected C order");
  return {x.mutable_data(), static_cast<std::size_t>(x.size())};
}

template <class Scalar>
std::span<const Scalar> const_numbers(const py::array_t<Scalar>& x) {
  if (x.ndim() != 1) throw py::value_error("expected one dimension");
  if (x.size() > 1 && x.strides(0) != sizeof(Scalar)) throw py::value_error("expected C order");
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// The encoder with a dictionary that is no model: atoms are rows.
template <class Scalar>
py::tuple encode(const py::object& x,
                 const py::object& rows,
                 const std::string& json,
                 int threads) {
  const Samples<Scalar> samples(x);
  const Samples<Scalar> atoms(require_array(rows));
  Codes<Scalar> codes;
  {
    const py::gil_scoped_release release;
    const Batch<Scalar>& D = atoms.batch();
    require_usable(D);
    const Options options = resolve(io::options_from_json(json), D.dimension());
    const std::vector<std::string> wrong = violations(options);
    if (!wrong.empty()) throw InvalidOptions(wrong.front());
    Dictionary<Scalar> dictionary(D.dimension());
    dictionary.append(D.matrix(), std::vector<AtomRecord>(static_cast<std::size_t>(D.samples())));
    const CodingDictionary<Scalar> coding(dictionary, options.coding.atom_norm);
    ThreadPool pool(threads);
    codes = nodl::encode(coding, samples.batch(), options.coding, options.bisection, pool);
  }
  const py::tuple parts = csr(codes.columns, false);
  return py::make_tuple(parts[0], parts[1], parts[2], array_of(codes.lambda));
}

template <class Scalar>
void bind(py::module_& module) {
  using Array = py::array_t<Scalar>;
  const auto exact = [](const char* name) { return py::arg(name).noconvert(); };
  module.def(
      "soft_threshold",
      [](Array u, Scalar lambda) { soft_threshold<Scalar>(numbers(u), lambda); },
      exact("u"),
      py::arg("lambda"));
  module.def(
      "group_shrink",
      [](Array u, Scalar lambda) { group_shrink<Scalar>(numbers(u), lambda); },
      exact("u"),
      py::arg("lambda"));
  module.def(
      "project_to_ball", [](Array u) { project_to_ball<Scalar>(numbers(u)); }, exact("u"));
  module.def(
      "threshold_by_selection",
      [](const Array& u, Index count) {
        return threshold_by_selection<Scalar>(const_numbers(u), count);
      },
      exact("u"),
      py::arg("count"));
  module.def(
      "threshold_by_bisection",
      [](const Array& u, Index count, double tolerance, double count_tolerance) {
        return threshold_by_bisection<Scalar>(
            const_numbers(u), count, {tolerance, count_tolerance});
      },
      exact("u"),
      py::arg("count"),
      py::arg("tolerance"),
      py::arg("count_tolerance"));
  module.def(
      "pearson",
      [](const Array& x, const Array& y) {
        return pearson<Scalar>(const_numbers(x), const_numbers(y));
      },
      exact("x"),
      exact("y"));
  module.def(
      "spearman",
      [](const Array& x, const Array& y) {
        return spearman<Scalar>(const_numbers(x), const_numbers(y));
      },
      exact("x"),
      exact("y"));
}

}  // namespace

void bind_functions(py::module_& module) {
  bind<double>(module);
  bind<float>(module);
  module.def("encode64", &encode<double>);
  module.def("encode32", &encode<float>);
  module.def("all_finite64",
             [](const py::object& x) { return all_finite(Samples<double>(x).batch()); });
  module.def("all_finite32",
             [](const py::object& x) { return all_finite(Samples<float>(x).batch()); });
  module.def("preset_options", [](const std::string& name) {
    const auto wanted = enum_named<Preset>(name);
    if (!wanted) throw InvalidOptions("preset must be paper|released, not " + name);
    return io::options_to_json(preset(*wanted));
  });
}

}  // namespace nodl::python
