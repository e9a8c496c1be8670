// How much memory learning takes, as a formula: what `memory_limit` is compared with.
#pragma once

#include <cstdint>

#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl {

/// What the memory depends on.
struct LearningSize {
  Index dimension = 0;      // m
  Index sparse_atoms = 0;   // of at most atom_nonzeros numbers each
  Index dense_atoms = 0;    // newborn; all where atoms are not sparse
  Index samples = 0;        // n, in a batch
  Index batch_numbers = 0;  // stored in a batch: m n where samples are dense
};

/// Bytes that a learner holds at most while it learns one batch: A, B and D, a second copy of them
/// (a checkpoint is written from one), and what coding, the memories and the update need meanwhile.
/// A function of sizes and options only, never of the number of threads or of what the system
/// reports, because births depend on it. docs/PARAMETERS.md has the formula.
std::int64_t learning_bytes(const LearningSize& size, const Options& options, Precision precision);

/// How many of the wanted births keep within the memory limit.
Index affordable_births(Index wanted,
                        const LearningSize& before,
                        const Options& options,
                        Precision precision);

/// Throws InvalidOptions if learning takes more than the memory limit before any birth.
void require_memory(const LearningSize& size, const Options& options, Precision precision);

}  // namespace nodl
