#include "io/model_file_content.h"

#include <algorithm>
#include <limits>

namespace nodl::io {
namespace {

// More than a stream of years can bring, and far from where counting on would overflow.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 62;

}  // namespace

void check_header(const ModelFileReader& file, const Header& header) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) file.refuse(std::string("is inconsistent: ") + what);
  };
  require(header.dimension >= 1 && header.dimension <= std::numeric_limits<RowIndex>::max(),
          "its dimension is out of range");
  require(header.atoms >= 0 && header.atoms <= std::numeric_limits<RowIndex>::max(),
          "its number of atoms is out of range");
  require(header.sparse_atoms >= 0 && header.sparse_atoms <= header.atoms,
          "it has more sparse atoms than atoms");
  require(header.initialised || header.atoms == 0, "it has atoms that were never drawn");
  visit_progress(header.progress, [&](const char*, const auto& field) {
    require(std::int64_t{field} >= 0, "a count is negative");
    require(std::int64_t{field} <= kMostCounted, "a count is too large to go on counting");
  });
  const SampleDigest& last = header.stream.last_batch;
  require(last.samples >= 0 && last.samples <= header.stream.all.samples &&
              header.stream.all.samples <= header.progress.samples,
          "its stream has more samples than were learned");
  require(header.stream.last_batch.samples >= 0 &&
              header.stream.last_batch.samples <= header.stream.all.samples &&
              header.stream.all.samples <= kMostCounted,
          "the place in its stream is out of range");
  for (const std::string& violation : violations(header.options)) {
    file.refuse("holds options out of range: " + violation);
  }
}

template <class Scalar>
void check_sparse_atoms(const ModelFileReader& file, const SparseMatrix<Scalar>& atoms) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) file.refuse(std::string("is inconsistent: ") + what);
  };
  require(atoms.starts.front() == 0 && atoms.starts.back() == atoms.nonzeros() &&
              std::is_sorted(atoms.starts.begin(), atoms.starts.end()),
          "its sparse atoms do not follow each other");
  for (Index j = 0; j < atoms.cols(); ++j) {
    RowIndex previous = -1;
    for (Index p = atoms.starts[j]; p < atoms.starts[j + 1]; ++p) {
      require(atoms.indices[p] > previous && atoms.indices[p] < atoms.rows,
              "the indices of a sparse atom do not rise inside the dimension");
      previous = atoms.indices[p];
    }
  }
  require(std::all_of(atoms.values.begin(),
                      atoms.values.end(),
                      [](Scalar value) { return std::isfinite(value); }),
          "a number of a sparse atom is not finite");
}

std::vector<std::int64_t> pack_records(const std::vector<AtomRecord>& records) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(records.size() * kRecordFields);
  for (const AtomRecord& record : records) {
    numbers.insert(numbers.end(), {record.id, record.birth_batch, record.uses, record.last_use});
  }
  return numbers;
}

std::vector<AtomRecord> read_records(ModelFileReader& file, const Header& header) {
  std::vector<std::int64_t> numbers;
  file.read(kRecords, header.atoms, kRecordFields, numbers);
  std::vector<AtomRecord> records;
  std::vector<std::int64_t> ids;
  for (std::size_t at = 0; at < numbers.size(); at += kRecordFields) {
    const AtomRecord record{numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], -1};
    const std::int64_t now = header.progress.batches;
    if (record.id < 0 || record.id >= header.progress.next_id || record.birth_batch < 0 ||
        record.birth_batch > now || record.uses < 0 || record.uses > kMostCounted ||
        record.last_use < 0 || record.last_use > now) {
      file.refuse("is inconsistent: the record of an atom is out of range");
    }
    records.push_back(record);
    ids.push_back(record.id);
  }
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
    file.refuse("is inconsistent: two atoms have one id");
  }
  return records;
}

std::vector<std::int64_t> pack_slots(const std::vector<AtomRecord>& records,
                                     const Progress& progress) {
  std::vector<std::int64_t> numbers{progress.next_slot};
  for (const AtomRecord& record : records) {
    if (record.slot < 0) return {};
    numbers.push_back(record.slot);
  }
  return numbers;
}

void read_slots(ModelFileReader& file, std::vector<AtomRecord>& records, Progress& progress) {
  if (!file.has(kSlots)) return;
  std::vector<std::int64_t> numbers;
  file.read(kSlots, 1, static_cast<std::int64_t>(records.size()) + 1, numbers);
  progress.next_slot = numbers.front();
  std::vector<std::int64_t> sorted(numbers.begin() + 1, numbers.end());
  std::sort(sorted.begin(), sorted.end());
  if (progress.next_slot < 0 || progress.next_slot > std::numeric_limits<RowIndex>::max() ||
      (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= progress.next_slot)) ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    file.refuse("is inconsistent: the slot of an atom is out of range or not its own");
  }
  for (std::size_t j = 0; j < records.size(); ++j) records[j].slot = numbers[j + 1];
}

template void check_sparse_atoms(const ModelFileReader&, const SparseMatrix<double>&);
template void check_sparse_atoms(const ModelFileReader&, const SparseMatrix<float>&);

}  // namespace nodl::io
