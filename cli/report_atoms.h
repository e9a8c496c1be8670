// The atoms of a model for people: as pictures, or by their words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nodl/model.h"
#include "report_page.h"

namespace nodl::cli {

struct AtomView {
  std::optional<Index> rows, columns;   // atoms are pictures of this shape
  std::vector<std::string> vocabulary;  // names of coordinates; empty: none
};

/// "HxW". Throws InvalidOptions.
void read_shape(const std::string& text, AtomView& view);
/// One word a line, or number, tab, word as `nodl prepare text` writes it. Throws DataError.
void read_vocabulary(const std::string& path, AtomView& view);

/// The atoms that were used most, each with its age. Throws DataError where shape or vocabulary do
/// not fit the model.
template <class Scalar>
void add_atoms(ReportPage& page, const Model<Scalar>& model, const AtomView& view);

}  // namespace nodl::cli
