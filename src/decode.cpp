#include "nodl/decode.h"

#include <string>
#include <vector>

#include "nodl/error.h"

namespace nodl {
namespace {

/// Calls visit(row, value) for what code i holds, zeros or not.
template <class Scalar, class Visitor>
void visit_code(const Batch<Scalar>& codes, Index i, const Visitor& visit) {
  if (!codes.is_sparse()) {
    const Scalar* code = codes.sample(i);
    for (Index row = 0; row < codes.dimension(); ++row) visit(row, code[row]);
    return;
  }
  const SparseColumns<Scalar>& columns = codes.columns();
  for (Index p = columns.starts[i]; p < columns.starts[i + 1]; ++p) {
    visit(Index{columns.indices[p]}, columns.values[p]);
  }
}

/// A code by its atoms.
template <class Scalar>
struct Coefficients {
  std::vector<RowIndex> atoms;
  std::vector<Scalar> values;
  Scalar mean = 0;

  void take(const Batch<Scalar>& codes, Index i, std::span<const RowIndex> atom_of) {
    atoms.clear();
    values.clear();
    mean = 0;
    visit_code(codes, i, [&](Index row, Scalar value) {
      if (value == 0) return;
      if (row == std::ssize(atom_of)) {
        mean = value;
        return;
      }
      const RowIndex atom = atom_of[static_cast<std::size_t>(row)];
      if (atom < 0) {
        throw DataError("a code uses column " + std::to_string(row + 1) + ", which has no atom");
      }
      atoms.push_back(atom);
      values.push_back(value);
    });
  }
};

void require_width(Index found, Index width, bool centered) {
  if (found == width || (centered && found == width + 1)) return;
  throw ShapeMismatch("codes have " + std::to_string(found) + " columns, the model's have " +
                      std::to_string(width) +
                      (centered ? ", or " + std::to_string(width + 1) + " with the mean" : ""));
}

}  // namespace

template <class Scalar>
void decode(const CodingDictionary<Scalar>& dictionary,
            std::span<const RowIndex> atom_of,
            const Batch<Scalar>& codes,
            Index first,
            Matrix<Scalar>& samples) {
  require_width(codes.dimension(), std::ssize(atom_of), dictionary.norm() == AtomNorm::Centered);
  samples.setZero(dictionary.dimension(), codes.samples());
  Coefficients<Scalar> code;
  for (Index i = 0; i < codes.samples(); ++i) {
    code.take(codes, i, atom_of);
    auto sample = samples.col(i);
    const Scalar centring = dictionary.synthesize(
        std::ssize(code.atoms), code.atoms.data(), code.values.data(), sample.data());
    sample.array() += code.mean + centring;
    if (sample.allFinite()) continue;
    throw DataError("code " + std::to_string(first + i + 1) + ": its sample would not be finite");
  }
}

template void decode(const CodingDictionary<double>&,
                     std::span<const RowIndex>,
                     const Batch<double>&,
                     Index,
                     Matrix<double>&);
template void decode(const CodingDictionary<float>&,
                     std::span<const RowIndex>,
                     const Batch<float>&,
                     Index,
                     Matrix<float>&);

}  // namespace nodl
