// Alg.1 steps 5-7: how many atoms are born, and what they look like.
#pragma once

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"
#include "nodl/encoder.h"
#include "nodl/options.h"
#include "nodl/random.h"
#include "nodl/thread_pool.h"

namespace nodl {

/// What kept atoms from being born.
enum class BirthLimit { None, MaxAtoms, MemoryLimit };

template <>
struct EnumNames<BirthLimit> {
  static constexpr std::array<std::pair<BirthLimit, std::string_view>, 3> table = {
      {{BirthLimit::None, "none"},
       {BirthLimit::MaxAtoms, "max_atoms"},
       {BirthLimit::MemoryLimit, "memory_limit"}}};
};

/// Why atoms are born in a batch: steps 5-6 of Alg.1 find it badly represented, or an option asks
/// for births in batches that are not.
enum class BirthReason { LowCorrelation, CarriedRate, Always, Redraw };

template <>
struct EnumNames<BirthReason> {
  static constexpr std::array<std::pair<BirthReason, std::string_view>, 4> table = {
      {{BirthReason::LowCorrelation, "low_correlation"},
       {BirthReason::CarriedRate, "carried_rate"},
       {BirthReason::Always, "always"},
       {BirthReason::Redraw, "redraw"}}};
};

struct BirthDecision {
  Index count = 0;   // atoms to be born
  Index denied = 0;  // atoms that would have been born without a limit
  BirthLimit denied_by = BirthLimit::None;
  BirthReason reason = BirthReason::LowCorrelation;
};

/// Steps 5-6. `correlation` is p_c of the batch; `carried` is the rate of the last batch of this
/// training call that was below the threshold, and is kept up to date.
BirthDecision decide_births(double correlation,
                            bool first_batch_of_call,
                            Index atoms,
                            const BirthOptions& options,
                            Index& carried);

/// What atoms may be drawn.
enum class AtomSign { Any, NonNegative };

/// Step 7, initializeRand: uniform on (0, 1), centred (not if they must be non-negative), unit
/// norm. Atom j of a draw has a stream of its own, keyed by (seed, purpose, batch, j).
template <class Scalar>
Matrix<Scalar> random_atoms(Index dimension,
                            Index count,
                            std::uint64_t seed,
                            Purpose purpose,
                            std::uint64_t batch,
                            AtomSign sign = AtomSign::Any);

/// The samples (or their positive parts) that the dictionary represents worst, as atoms of unit
/// norm.
template <class Scalar>
Matrix<Scalar> sample_atoms(const Batch<Scalar>& batch,
                            const std::vector<double>& correlation,
                            Index count,
                            AtomNorm norm,
                            AtomSign sign = AtomSign::Any);

/// Sparse directions that carry the most residual energy of the batch, one after the other, each
/// removed from the residual before the next.
template <class Scalar>
Matrix<Scalar> residual_atoms(const CodingDictionary<Scalar>& dictionary,
                              const Batch<Scalar>& batch,
                              const Codes<Scalar>& codes,
                              Index count,
                              Index atom_nonzeros,
                              ThreadPool& pool);

/// Of each atom its positive or its negative part, whichever is larger, at unit norm.
template <class Scalar>
void make_non_negative(Matrix<Scalar>& atoms);

}  // namespace nodl
