#pragma once

#include "nodl/update.h"

namespace nodl {

/// Steps 12-19 where atoms are sparse (atom_nonzeros < m).
template <class Scalar>
UpdateResult update_sparse(Dictionary<Scalar>& dictionary,
                           const Memory& memory,
                           const UpdateOptions& options,
                           const BisectionOptions& bisection,
                           ThreadPool& pool);

/// Steps 12-19 where atoms are dense, in panels of atoms.
template <class Scalar>
UpdateResult update_dense(Dictionary<Scalar>& dictionary,
                          const Memory& memory,
                          const UpdateOptions& options,
                          const BisectionOptions& bisection,
                          ThreadPool& pool);

}  // namespace nodl
