// What the header and the sections of a model file mean; docs/FORMAT.md.
#include "nodl/io/model_file.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <type_traits>

#include "io/model_file_content.h"
#include "io/model_file_layout.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io {
namespace {

using Json = nlohmann::ordered_json;

template <class Scalar>
constexpr Precision precision_of() {
  return std::is_same_v<Scalar, double> ? Precision::Float64 : Precision::Float32;
}

Json to_json(const SampleDigest& digest) {
  return {{"samples", digest.samples}, {"hash", digest.hash}};
}

template <class Scalar>
std::string header_of(const Model<Scalar>& model) {
  Json header;
  header["precision"] = name_of(precision_of<Scalar>());
  header["dimension"] = model.dictionary.dimension();
  header["atoms"] = model.dictionary.size();
  header["sparse_atoms"] = model.dictionary.sparse_size();
  header["initialised"] = model.initialised;
  header["options"] = Json::parse(options_to_json(model.options));
  visit_progress(model.progress,
                 [&](const char* name, const auto& field) { header["progress"][name] = field; });
  header["stream"] = {{"all", to_json(model.stream.all)},
                      {"last_batch", to_json(model.stream.last_batch)}};
  return header.dump();
}

/// Json::get<> would take 1.5 for 1, and 2^63 for a negative number.
std::int64_t count_in(const Json& json, const char* name) {
  const Json& value = json.at(name);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) throw InvalidOptions(std::string(name) + " is no integer");
  return value.get<std::int64_t>();
}

SampleDigest digest_in(const Json& json) {
  const Json& hash = json.at("hash");
  if (!hash.is_number_unsigned()) throw InvalidOptions("a hash is no number");
  return {count_in(json, "samples"), hash.get<std::uint64_t>()};
}

/// Not there: a model that was not learned from a stream of files.
StreamPlace stream_in(const Json& header) {
  if (!header.contains("stream")) return {};
  const Json& stream = header.at("stream");
  return {digest_in(stream.at("all")), digest_in(stream.at("last_batch"))};
}

/// Not deeper than any header has use for: what walks through JSON again calls itself for every
/// level.
Json parse_flat(const std::string& text) {
  constexpr int kDeepest = 16;
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw InvalidOptions("it is nested too deeply");
    return true;
  });
}

Header parse_header(const ModelFileReader& file) {
  Header header;
  try {
    const Json json = parse_flat(file.header());
    const auto precision = enum_named<Precision>(json.at("precision").get<std::string>());
    if (!precision) file.refuse("has an unknown precision");
    header.precision = *precision;
    header.dimension = count_in(json, "dimension");
    header.atoms = count_in(json, "atoms");
    header.sparse_atoms = count_in(json, "sparse_atoms");
    json.at("initialised").get_to(header.initialised);
    header.options = options_from_json(json.at("options").dump());
    const Json& progress = json.at("progress");
    visit_progress(header.progress, [&](const char* name, auto& field) {
      if constexpr (std::is_same_v<decltype(field), bool&>) {
        progress.at(name).get_to(field);
      } else {
        field = count_in(progress, name);
      }
    });
    header.stream = stream_in(json);
  } catch (const Json::exception& error) {
    file.refuse("has a header that cannot be understood: " + std::string(error.what()));
  } catch (const InvalidOptions& error) {
    file.refuse("has a header that cannot be understood: " + std::string(error.what()));
  }
  check_header(file, header);
  // An option that is newer than the file has its default, which may be to derive it.
  header.options = resolve(header.options, header.dimension);
  return header;
}

template <class Scalar>
Dictionary<Scalar> read_dictionary(ModelFileReader& file, const Header& header) {
  SparseMatrix<Scalar> sparse;
  sparse.rows = header.dimension;
  file.read(kSparseStarts, 1, header.sparse_atoms + 1, sparse.starts);
  const std::int64_t nonzeros = file.columns_of(kSparseIndices);
  file.read(kSparseIndices, 1, nonzeros, sparse.indices);
  file.read(kSparseValues, 1, nonzeros, sparse.values);
  check_sparse_atoms(file, sparse);
  Matrix<Scalar> dense;
  file.read(kDenseAtoms, header.atoms - header.sparse_atoms, header.dimension, dense);
  check_finite(file, kDenseAtoms, dense);

  return {std::move(sparse), std::move(dense), read_records(file, header)};
}

Memory read_memory(ModelFileReader& file, const Header& header) {
  if (!file.has(kMemoryA) && !file.has(kMemoryB)) return Memory();
  Matrix<double> A;
  Matrix<double> B;
  file.read(kMemoryA, header.atoms, header.atoms, A);
  check_finite(file, kMemoryA, A);
  file.read(kMemoryB, header.atoms, header.dimension, B);
  check_finite(file, kMemoryB, B);
  return {std::move(A), std::move(B)};
}

template <class Scalar>
Model<Scalar> read_model(ModelFileReader& file, const Header& header) {
  Model<Scalar> model;
  model.options = header.options;
  model.progress = header.progress;
  model.stream = header.stream;
  model.initialised = header.initialised;
  model.dictionary = read_dictionary<Scalar>(file, header);
  read_slots(file, model.dictionary.records(), model.progress);
  model.memory = read_memory(file, header);
  file.check_unread();
  return model;
}

}  // namespace

template <class Scalar>
void write_model(const Model<Scalar>& model, std::ostream& out) {
  const Dictionary<Scalar>& D = model.dictionary;
  const SparseColumns<Scalar> sparse = D.sparse_block();
  const std::vector<std::int64_t> records = pack_records(D.records());
  const std::vector<std::int64_t> slots = pack_slots(D.records(), model.progress);

  ModelFileWriter file(header_of(model));
  file.add(kSparseStarts, 1, sparse.cols + 1, sparse.starts);
  file.add(kSparseIndices, 1, sparse.nonzeros(), sparse.indices);
  file.add(kSparseValues, 1, sparse.nonzeros(), sparse.values);
  file.add(kDenseAtoms, D.size() - D.sparse_size(), D.dimension(), D.dense_block().data());
  file.add(kRecords, D.size(), kRecordFields, records.data());
  if (!slots.empty()) {
    file.add(
        kSlots, 1, static_cast<std::int64_t>(slots.size()), slots.data(), SectionKind::Optional);
  }
  if (has_training_state(model)) {
    file.add(kMemoryA, D.size(), D.size(), model.memory.A().data());
    file.add(kMemoryB, D.size(), D.dimension(), model.memory.B().data());
  }
  file.write(out);
}

template <class Scalar>
void save_model(const Model<Scalar>& model, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { write_model(model, out); });
}

AnyModel load_model(const std::string& path) {
  ModelFileReader file(path);
  const Header header = parse_header(file);
  if (header.precision == Precision::Float64) return read_model<double>(file, header);
  return read_model<float>(file, header);
}

ModelFileInfo inspect_model(const std::string& path) {
  load_model(path);
  const ModelFileReader file(path);
  return {file.version(), file.file_bytes(), file.sections()};
}

template void write_model(const Model<double>&, std::ostream&);
template void write_model(const Model<float>&, std::ostream&);
template void save_model(const Model<double>&, const std::string&);
template void save_model(const Model<float>&, const std::string&);

}  // namespace nodl::io
