// nodl._core.Learner64 and Learner32.
#include <pybind11/stl.h>

#include "atoms.h"
#include "bindings.h"
#include "learner_object.h"
#include "model_bytes.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"

namespace nodl::python {
namespace {

/// What read(model) returns. Who waits for the learner's lock must not hold the GIL meanwhile.
template <class Scalar, class Reader>
auto model_of(LearnerObject<Scalar>& self, const Reader& read) {
  const py::gil_scoped_release release;
  return self.with_model(read);
}

py::dict seconds_by_stage(const StageSeconds& seconds) {
  py::dict stages;
  stages["code"] = seconds.code;
  stages["birth"] = seconds.birth;
  stages["memory"] = seconds.memory;
  stages["update"] = seconds.update;
  stages["other"] = seconds.other;
  return stages;
}

/// The fields of the command line's event of a batch, but for the input's name and bad rows:
/// samples come from memory, and bad ones are refused, never passed over.
template <class Scalar>
py::dict batch_record(const typename LearnerObject<Scalar>::Learned& learned) {
  const BatchSummary& s = learned.summary;
  py::dict record;
  record["event"] = "batch";
  record["batch"] = s.batch;
  record["samples"] = s.samples;
  record["samples_seen"] = learned.samples_seen;
  record["pearson_before"] = s.pearson_before;
  record["pearson_after"] = s.pearson_after;
  record["birth_correlation"] = s.birth_correlation;
  record["born"] = s.born.size();
  record["died"] = s.died.size();
  record["denied"] = s.denied;
  record["denied_by"] = name_of(s.denied_by);
  record["atoms"] = s.atoms;
  record["atoms_alive"] = s.atoms_alive;
  record["sweeps"] = s.sweeps;
  record["converged"] = s.converged;
  record["code_nonzeros"] = s.code_nonzeros;
  record["seconds"] = seconds_by_stage(s.seconds);
  return record;
}

template <class Scalar>
py::tuple learn(LearnerObject<Scalar>& self, const py::object& x, bool scores) {
  const Samples<Scalar> samples(x);
  typename LearnerObject<Scalar>::Learned learned;
  {
    const py::gil_scoped_release release;
    learned = self.learn(samples.batch(), scores);
  }
  py::list births, deaths;
  for (const std::int64_t id : learned.summary.born) {
    births.append(
        py::make_tuple(id, learned.birth_threshold, name_of(learned.summary.birth_reason)));
  }
  for (const AtomRecord& atom : learned.summary.died) {
    deaths.append(py::make_tuple(atom.id, atom.birth_batch, atom.uses));
  }
  return py::make_tuple(batch_record<Scalar>(learned), births, deaths);
}

template <class Scalar>
typename LearnerObject<Scalar>::Encoded encoded(LearnerObject<Scalar>& self,
                                                const py::object& x,
                                                const std::string& layer,
                                                bool slots,
                                                bool split_sign) {
  const Samples<Scalar> samples(x);
  const py::gil_scoped_release release;
  return self.encode(samples.batch(), layer, slots, split_sign);
}

template <class Scalar>
py::array_t<Scalar> encode_dense(LearnerObject<Scalar>& self,
                                 const py::object& x,
                                 const std::string& layer,
                                 bool slots,
                                 bool split_sign) {
  const auto [codes, layout] = encoded(self, x, layer, slots, split_sign);
  py::array_t<Scalar> out({codes.samples(), static_cast<Index>(layout.columns())});
  std::fill_n(out.mutable_data(), out.size(), Scalar(0));
  scatter(codes.columns, layout, out.mutable_data());
  return out;
}

/// (indptr, indices, data, columns)
template <class Scalar>
py::tuple encode_sparse(LearnerObject<Scalar>& self,
                        const py::object& x,
                        const std::string& layer,
                        bool split_sign) {
  const auto [codes, layout] = encoded(self, x, layer, false, split_sign);
  const py::tuple parts = csr(codes.columns, split_sign);
  return py::make_tuple(parts[0], parts[1], parts[2], layout.columns());
}

template <class Scalar>
py::array_t<Scalar> decode(LearnerObject<Scalar>& self, const py::object& x, bool slots) {
  const Samples<Scalar> codes(x);
  Matrix<Scalar> decoded;
  {
    const py::gil_scoped_release release;
    decoded = self.decode(codes.batch(), slots);
  }
  return rows_of_columns(decoded);
}

py::dict evaluation_record(const Evaluation& e) {
  py::dict record;
  record["samples"] = e.samples;
  record["pearson"] = e.pearson;
  record["spearman"] = e.spearman;
  record["mse"] = e.mse;
  record["explained_variance"] = e.explained_variance;
  record["code_nonzeros"] = e.code_nonzeros;
  return record;
}

template <class Scalar>
py::dict evaluate(LearnerObject<Scalar>& self, const py::object& x, const std::string& layer) {
  const Samples<Scalar> samples(x);
  Evaluation evaluation;
  {
    const py::gil_scoped_release release;
    evaluation = self.evaluate(samples.batch(), layer);
  }
  return evaluation_record(evaluation);
}

template <class Scalar>
py::dict records(LearnerObject<Scalar>& self) {
  const auto copy =
      model_of(self, [](const Model<Scalar>& model) { return model.dictionary.records(); });
  py::dict fields;
  const auto add = [&](const char* name, std::int64_t AtomRecord::*field) {
    std::vector<std::int64_t> values;
    values.reserve(copy.size());
    for (const AtomRecord& record : copy) values.push_back(record.*field);
    fields[name] = array_of(values);
  };
  add("id", &AtomRecord::id);
  add("birth_batch", &AtomRecord::birth_batch);
  add("uses", &AtomRecord::uses);
  add("last_use", &AtomRecord::last_use);
  add("slot", &AtomRecord::slot);
  return fields;
}

template <class Scalar>
Matrix<Scalar> atoms_of(const Model<Scalar>& model, bool as_coding_uses_them) {
  if (!as_coding_uses_them) return model.dictionary.to_dense();
  return CodingDictionary<Scalar>(model.dictionary, model.options.coding.atom_norm).to_dense();
}

/// A model that starts from these atoms, one a row, and has learned nothing yet.
template <class Scalar>
std::unique_ptr<LearnerObject<Scalar>> from_atoms(const py::object& rows,
                                                  const std::string& json,
                                                  int threads) {
  const Samples<Scalar> atoms(require_array(rows));
  require_usable(atoms.batch());
  Model<Scalar> model;
  const Index m = atoms.batch().dimension(), k = atoms.batch().samples();
  Options options = io::options_from_json(json);
  options.atoms = k;
  model.options = resolve(options, m);
  if (model.options.update.positive_dict && (atoms.batch().matrix().array() < 0).any()) {
    throw InvalidOptions("positive_dict is on, but an initial atom has a negative number");
  }
  std::vector<AtomRecord> records(static_cast<std::size_t>(k));
  for (Index j = 0; j < k; ++j) records[j].id = j;
  model.dictionary = Dictionary<Scalar>(m);
  model.dictionary.append(atoms.batch().matrix(), records);
  model.memory = Memory(m, k);
  model.progress.next_id = k;
  model.initialised = true;
  return std::make_unique<LearnerObject<Scalar>>(std::move(model), threads);
}

template <class Scalar>
void bind(py::module_& module, const char* name) {
  using Object = LearnerObject<Scalar>;
  using Release = py::call_guard<py::gil_scoped_release>;
  py::class_<Object>(module, name)
      .def(py::init<Index, const std::string&, int>())
      .def_static("from_atoms", &from_atoms<Scalar>)
      .def("learn", &learn<Scalar>)
      .def("begin_call", &Object::begin_call, Release())
      .def("finish", &Object::finish, Release())
      .def("freeze", &Object::freeze, Release())
      .def("set_threads", &Object::set_threads, Release())
      .def("encode_dense", &encode_dense<Scalar>)
      .def("encode_sparse", &encode_sparse<Scalar>)
      .def("decode", &decode<Scalar>)
      .def("evaluate", &evaluate<Scalar>)
      .def("records", &records<Scalar>)
      .def("atoms",
           [](Object& self, bool as_coding_uses_them) {
             return rows_of_columns(model_of(self, [&](const Model<Scalar>& model) {
               return atoms_of(model, as_coding_uses_them);
             }));
           })
      .def("A",
           [](Object& self) {
             return rows_of_columns(
                 model_of(self, [](const Model<Scalar>& model) { return model.memory.A(); }));
           })
      .def("B",
           [](Object& self) {
             return rows_of_columns(
                 model_of(self, [](const Model<Scalar>& model) { return model.memory.B(); }));
           })
      .def("options",
           [](Object& self) {
             return model_of(self, [](const Model<Scalar>& model) {
               return io::options_to_json(model.options);
             });
           })
      .def("size",
           [](Object& self) {
             return model_of(self,
                             [](const Model<Scalar>& model) { return model.dictionary.size(); });
           })
      .def("dimension",
           [](Object& self) {
             return model_of(
                 self, [](const Model<Scalar>& model) { return model.dictionary.dimension(); });
           })
      .def("slots",
           [](Object& self) {
             return model_of(self, [](const Model<Scalar>& model) {
               return slot_count(model.progress, model.options.birth.max_atoms);
             });
           })
      .def("progress",
           [](Object& self) {
             const Progress p =
                 model_of(self, [](const Model<Scalar>& model) { return model.progress; });
             py::dict fields;
             fields["batches"] = p.batches;
             fields["samples"] = p.samples;
             fields["births"] = p.births;
             fields["deaths"] = p.deaths;
             fields["finished"] = p.finished;
             return fields;
           })
      .def("save",
           [](Object& self, const std::string& path) {
             model_of(self, [&](const Model<Scalar>& model) { io::save_model(model, path); });
           })
      .def(py::pickle(
          [](Object& self) {
            return py::bytes(
                model_of(self, [](const Model<Scalar>& model) { return bytes_of_model(model); }));
          },
          [](const py::bytes& bytes) {
            return std::make_unique<Object>(std::get<Model<Scalar>>(model_of_bytes(bytes)), 1);
          }));
}

}  // namespace

void bind_learners(py::module_& module) {
  bind<double>(module, "Learner64");
  bind<float>(module, "Learner32");
  module.def("load", [](const std::string& path, int threads) -> py::object {
    AnyModel any;
    {
      const py::gil_scoped_release release;
      any = io::load_model(path);
    }
    if (auto* model = std::get_if<Model<double>>(&any)) {
      return py::cast(std::make_unique<LearnerObject<double>>(std::move(*model), threads));
    }
    auto& model = std::get<Model<float>>(any);
    return py::cast(std::make_unique<LearnerObject<float>>(std::move(model), threads));
  });
}

}  // namespace nodl::python
