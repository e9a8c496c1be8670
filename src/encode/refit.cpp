#include "encode/refit.h"

#include <limits>

#include "encode/code_gathering.h"
#include "encode/support_factor.h"
#include "encode/wide_batch.h"

namespace nodl {
namespace {

constexpr Index kBlock = 32;  // samples that are one piece of work, whatever the number of threads

template <class Scalar>
Codes<Scalar> refitted_in_double(const CodingDictionary<double>& dictionary,
                                 const Batch<Scalar>& batch,
                                 const Codes<Scalar>& codes,
                                 ThreadPool& pool) {
  const Index k = dictionary.size(), n = batch.samples();
  const Matrix<double> gram = dictionary.gram(pool);
  const SparseColumns<Scalar> chosen = codes.columns.view();
  CodeGathering<Scalar> found(n, k, pool);
  pool.run((n + kBlock - 1) / kBlock, [&](Index b, int thread) {
    const Index first = b * kBlock, count = std::min(kBlock, n - first);
    Matrix<double> Q(k, count);
    WideBatch wide;
    dictionary.correlate(wide.of(batch.middle(first, count)), Q.data());
    SupportFactor<double> fit(gram, std::numeric_limits<Scalar>::epsilon());
    SampleCode<double> code;
    for (Index i = 0; i < count; ++i) {
      fit.clear();
      for (Index p = chosen.starts[first + i]; p < chosen.starts[first + i + 1]; ++p) {
        fit.add(chosen.indices[p]);
      }
      code.atoms = fit.support();
      code.values.clear();
      for (const Index j : code.atoms) code.values.push_back(Q(j, i));
      fit.solve(code.values.data());
      code.lambda = codes.lambda[first + i];
      found.put(first + i, thread, code);
    }
  });
  return found.codes(pool);
}

}  // namespace

template <>
Codes<double> refitted(const CodingDictionary<double>& dictionary,
                       const Batch<double>& batch,
                       const Codes<double>& codes,
                       ThreadPool& pool) {
  return refitted_in_double(dictionary, batch, codes, pool);
}

template <>
Codes<float> refitted(const CodingDictionary<float>& dictionary,
                      const Batch<float>& batch,
                      const Codes<float>& codes,
                      ThreadPool& pool) {
  const Dictionary<double> atoms = dictionary.dictionary().cast<double>();
  const CodingDictionary<double> wide(atoms, dictionary.norm());
  return refitted_in_double(wide, batch, codes, pool);
}

}  // namespace nodl
