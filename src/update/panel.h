// Loops over a panel of atoms: for each row of the dictionary kPanelWidth numbers side by side, one
// for each atom of the panel. Compiled for the processor's vectors and chosen at run time.
#pragma once

#include "nodl/types.h"

namespace nodl {

constexpr Index kPanelWidth = 8;  // doubles: one cache line

/// panel(r, t) = columns[t][r] for all rows.
void interleave(const double* const* columns, Index rows, double* panel);

template <class Scalar>
struct AtomView {
  const RowIndex* at = nullptr;
  const Scalar* values = nullptr;
  Index count = 0;
};

/// panel(at_p, .) -= values_p weights_l for all entries p of the atoms l = first, ..., past - 1;
/// weights_l are kPanelWidth numbers.
template <class Scalar>
void subtract_atoms(
    const AtomView<Scalar>* atoms, Index first, Index past, const double* weights, double* panel);

/// Lists the rows with |panel(r, t)| > bounds[t] for some t, and for each a bit for every such t.
/// Returns how many; `rows_out` and `bits_out` have room for all rows.
Index rows_above(const double* panel,
                 Index rows,
                 const double* bounds,
                 RowIndex* rows_out,
                 unsigned char* bits_out);

}  // namespace nodl
