#include "nodl/update.h"

#include "nodl/error.h"
#include "update/updates.h"

namespace nodl {

template <class Scalar>
UpdateResult update_dictionary(Dictionary<Scalar>& dictionary,
                               const Memory& memory,
                               const UpdateOptions& options,
                               const BisectionOptions& bisection,
                               ThreadPool& pool) {
  if (memory.A().rows() != dictionary.size() || memory.B().rows() != dictionary.dimension()) {
    throw ShapeMismatch("memories do not fit the dictionary");
  }
  if (options.atom_nonzeros < dictionary.dimension()) {
    return update_sparse(dictionary, memory, options, bisection, pool);
  }
  if (dictionary.sparse_size() > 0) {  // learned sparse, now to be dense: only after `--from`
    Dictionary<Scalar> dense(dictionary.dimension());
    dense.append(dictionary.to_dense(), dictionary.records());
    dictionary = std::move(dense);
  }
  return update_dense(dictionary, memory, options, bisection, pool);
}

template UpdateResult update_dictionary(
    Dictionary<double>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);
template UpdateResult update_dictionary(
    Dictionary<float>&, const Memory&, const UpdateOptions&, const BisectionOptions&, ThreadPool&);

}  // namespace nodl
