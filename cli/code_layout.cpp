#include "code_layout.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "enum_option.h"
#include "nodl/slots.h"

namespace nodl::cli {

void add_layout(CLI::App& command, std::optional<Layout>& layout) {
  add_enum(
      command,
      "--layout",
      layout,
      "Columns of codes: one an atom, in the order of the model; or max-atoms columns, of which "
      "an atom keeps its own for life and those of the dead are zero.")
      ->default_str("atoms");
}

template <class Scalar>
CodeColumns::CodeColumns(Model<Scalar>& model, std::optional<Layout> layout)
    : width_(model.dictionary.size()) {
  std::vector<AtomRecord>& records = model.dictionary.records();
  if (layout == Layout::Slots) {
    const Index max_atoms = model.options.birth.max_atoms;
    assign_slots(records, model.progress, max_atoms);
    width_ = slot_count(model.progress, max_atoms);
  }
  atoms_.assign(static_cast<std::size_t>(width_), -1);
  for (std::size_t j = 0; j < records.size(); ++j) {
    const auto atom = static_cast<Index>(j);
    columns_.push_back(layout == Layout::Slots ? records[j].slot : atom);
    atoms_[static_cast<std::size_t>(columns_.back())] = atom;
  }
  in_order_ = std::is_sorted(columns_.begin(), columns_.end());
}

template <class Scalar>
SparseMatrix<Scalar> CodeColumns::spread(SparseMatrix<Scalar> codes) const {
  codes.rows = width_;
  for (RowIndex& index : codes.indices) {
    index = static_cast<RowIndex>(columns_[static_cast<std::size_t>(index)]);
  }
  if (in_order_) return codes;
  std::vector<std::pair<RowIndex, Scalar>> sorted;
  for (Index i = 0; i < codes.cols(); ++i) {
    sorted.clear();
    for (Index p = codes.starts[i]; p < codes.starts[i + 1]; ++p) {
      sorted.emplace_back(codes.indices[p], codes.values[p]);
    }
    std::sort(sorted.begin(), sorted.end());
    Index p = codes.starts[i];
    for (const auto& [index, value] : sorted) {
      codes.indices[p] = index;
      codes.values[p++] = value;
    }
  }
  return codes;
}

template CodeColumns::CodeColumns(Model<double>&, std::optional<Layout>);
template CodeColumns::CodeColumns(Model<float>&, std::optional<Layout>);
template SparseMatrix<double> CodeColumns::spread(SparseMatrix<double>) const;
template SparseMatrix<float> CodeColumns::spread(SparseMatrix<float>) const;

}  // namespace nodl::cli
