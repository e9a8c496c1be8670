// Alg.1 steps 12-19: block coordinate descent on D for fixed memories.
#pragma once

#include "nodl/dictionary.h"
#include "nodl/memory.h"
#include "nodl/options.h"
#include "nodl/thread_pool.h"

namespace nodl {

struct UpdateResult {
  Index sweeps = 0;
  double change = 0;       // largest change of an entry of D in the last sweep
  bool converged = false;  // change < tolerance
};

/// Afterwards all atoms are sparse if atom_nonzeros < m, else all are dense. Zero atoms stay.
template <class Scalar>
UpdateResult update_dictionary(Dictionary<Scalar>& dictionary,
                               const Memory& memory,
                               const UpdateOptions& options,
                               const BisectionOptions& bisection,
                               ThreadPool& pool);

}  // namespace nodl
