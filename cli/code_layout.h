// Which column of a file of codes stands for which atom.
#pragma once

#include <optional>
#include <vector>

#include "cli11_fwd.h"
#include "nodl/model.h"
#include "nodl/sparse.h"

namespace nodl::cli {
enum class Layout { Atoms, Slots };
}
template <>
struct nodl::EnumNames<nodl::cli::Layout> {
  static constexpr std::array<std::pair<nodl::cli::Layout, std::string_view>, 2> table = {
      {{nodl::cli::Layout::Atoms, "atoms"}, {nodl::cli::Layout::Slots, "slots"}}};
};

namespace nodl::cli {

void add_layout(CLI::App& command, std::optional<Layout>& layout);

/// Columns of atoms: their places in the model, or the slots that they keep for life.
class CodeColumns {
 public:
  template <class Scalar>
  CodeColumns(Model<Scalar>& model, std::optional<Layout> layout);

  Index width() const { return width_; }
  /// k x n codes, one a column, with rows for these columns.
  template <class Scalar>
  SparseMatrix<Scalar> spread(SparseMatrix<Scalar> codes) const;
  /// The atom of a column; -1: none now.
  Index atom(Index column) const { return atoms_[static_cast<std::size_t>(column)]; }

 private:
  Index width_ = 0;
  bool in_order_ = true;
  std::vector<Index> columns_;  // of atoms
  std::vector<Index> atoms_;    // of columns
};

}  // namespace nodl::cli
