// Samples back from codes.
#pragma once

#include <span>

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"

namespace nodl {

/// Reconstructions, one a column, of codes, one a column. `atom_of` is the atom that each row of
/// the codes stands for; -1: none now. With centred atoms codes may have one row more, the samples'
/// means. `first`: codes that came before these, for the messages.
/// Throws ShapeMismatch for codes of another size, DataError for a code that uses an atom that is
/// not there and for one whose sample would not be finite.
template <class Scalar>
void decode(const CodingDictionary<Scalar>& dictionary,
            std::span<const RowIndex> atom_of,
            const Batch<Scalar>& codes,
            Index first,
            Matrix<Scalar>& samples);

}  // namespace nodl
