// The layout `slots` of codes: as many columns as there may be atoms, and an atom keeps its column
// for life, so that a growing and shrinking dictionary feeds something that wants a fixed width.
#pragma once

#include <cstdint>
#include <vector>

#include "nodl/model.h"

namespace nodl {

/// The slot of a new atom beside these: one that was never used while there are such below
/// `max_atoms`, then the lowest that is free. Counts it as used.
std::int64_t take_slot(const std::vector<AtomRecord>& living,
                       Progress& progress,
                       std::int64_t max_atoms);

/// Slots for those atoms that have none (of a plain dictionary, or a model file without slots).
void assign_slots(std::vector<AtomRecord>& records, Progress& progress, std::int64_t max_atoms);

/// Columns of the layout.
std::int64_t slot_count(const Progress& progress, std::int64_t max_atoms);

}  // namespace nodl
