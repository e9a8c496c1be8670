// Loops over a panel of atoms: for each row of the dictionary kPanelWidth numbers side by side, one
// for each atom of the panel. Compiled for the processor's vectors and chosen at run time.
#pragma once

#include "nodl/types.h"

namespace nodl {

constexpr Index kPanelWidth = 8;  // doubles: one cache line

/// panel(r, t) = columns[t][r] for all rows.
void interleave(const double* const* columns, Index rows, double* panel);

/// panel(at_p, .) -= values_p weights for all p: one sparse atom taken off all columns.
template <class Scalar>
void subtract_atom(
    const double* weights, Index count, const RowIndex* at, const Scalar* values, double* panel);

/// Lists the rows with |panel(r, t)| > bounds[t] for some t, and for each a bit for every such t.
/// Returns how many; `rows_out` and `bits_out` have room for all rows.
Index rows_above(const double* panel,
                 Index rows,
                 const double* bounds,
                 RowIndex* rows_out,
                 unsigned char* bits_out);

}  // namespace nodl
