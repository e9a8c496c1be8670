// Names and checks of what a model file holds. A checksum proves that a file is as it was written;
// these checks keep a file that was written wrongly, or on purpose, from doing harm.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "io/model_file_layout.h"
#include "nodl/model.h"

namespace nodl::io {

// The stable part: all that coding needs.
inline const std::string kSparseStarts = "dictionary.sparse.starts";
inline const std::string kSparseIndices = "dictionary.sparse.indices";
inline const std::string kSparseValues = "dictionary.sparse.values";
inline const std::string kDenseAtoms = "dictionary.dense";
inline const std::string kRecords = "dictionary.records";
inline const std::string kSlots = "dictionary.slots";  // optional: files of 0.1 have none
// The training state: what learning on needs besides.
inline const std::string kMemoryA = "training.A";
inline const std::string kMemoryB = "training.B";

constexpr Index kRecordFields = 4;

struct Header {
  Precision precision = Precision::Float64;
  Index dimension = 0;
  Index atoms = 0;
  Index sparse_atoms = 0;
  bool initialised = false;
  Options options;
  Progress progress;
  StreamPlace stream;
};

/// Calls visit(name, field) for every field under the name it has in the header.
template <class ProgressRef, class Visitor>
void visit_progress(ProgressRef& p, Visitor&& visit) {
  visit("batches", p.batches);
  visit("samples", p.samples);
  visit("births", p.births);
  visit("deaths", p.deaths);
  visit("next_id", p.next_id);
  visit("batch_of_call", p.batch_of_call);
  visit("carried_births", p.carried_births);
  visit("finished", p.finished);
}

/// All of these throw ModelError.
void check_header(const ModelFileReader& file, const Header& header);
template <class Scalar>
void check_sparse_atoms(const ModelFileReader& file, const SparseMatrix<Scalar>& atoms);
template <class Scalar>
void check_finite(const ModelFileReader& file,
                  const std::string& section,
                  const Matrix<Scalar>& values) {
  if (!values.allFinite()) file.refuse("holds a number that is not finite in section " + section);
}

/// Four numbers an atom: id, birth batch, uses, last use.
std::vector<std::int64_t> pack_records(const std::vector<AtomRecord>& records);
std::vector<AtomRecord> read_records(ModelFileReader& file, const Header& header);

/// How many slots were ever used, then the slot of each atom. Empty if an atom has none.
std::vector<std::int64_t> pack_slots(const std::vector<AtomRecord>& records,
                                     const Progress& progress);
/// Atoms of a file without slots get none.
void read_slots(ModelFileReader& file, std::vector<AtomRecord>& records, Progress& progress);

}  // namespace nodl::io
