#include "encode/encode_checked.h"
#include "encode/exact_encoder.h"
#include "encode/refit.h"
#include "encode/search_encoder.h"
#include "encode/solver.h"
#include "magnitude.h"
#include "nodl/encoder.h"
#include "nodl/error.h"

namespace nodl {
namespace {

template <class Scalar>
void check_dimension(const CodingDictionary<Scalar>& dictionary, const Batch<Scalar>& batch) {
  if (batch.dimension() == dictionary.dimension()) return;
  throw ShapeMismatch("samples have " + std::to_string(batch.dimension()) +
                      " values, the dictionary's atoms " + std::to_string(dictionary.dimension()));
}

/// `codes` with the columns `at` taken from `others`.
template <class Scalar>
Codes<Scalar> spliced(const Codes<Scalar>& codes,
                      const std::vector<Index>& at,
                      const Codes<Scalar>& others) {
  Codes<Scalar> result;
  result.columns.rows = codes.columns.rows;
  std::size_t t = 0;
  for (Index i = 0; i < codes.samples(); ++i) {
    const bool other = t < at.size() && at[t] == i;
    const Codes<Scalar>& source = other ? others : codes;
    const Index column = other ? static_cast<Index>(t++) : i;
    const SparseColumns<Scalar> c = source.columns.view();
    for (Index p = c.starts[column]; p < c.starts[column + 1]; ++p) {
      result.columns.push(c.indices[p], c.values[p]);
    }
    result.columns.end_column();
    result.lambda.push_back(source.lambda[column]);
  }
  return result;
}

/// Centred atoms have nothing to say about a sample that is its mean: a code would be of rounding.
template <class Scalar>
Codes<Scalar> without_constants(Codes<Scalar> codes, const Batch<Scalar>& batch) {
  const std::vector<Index> constants = constant_samples(batch);
  if (constants.empty()) return codes;
  Codes<Scalar> nothing;
  for (const Index i : constants) {
    nothing.columns.end_column();
    nothing.lambda.push_back(codes.lambda[i]);
  }
  return spliced(codes, constants, nothing);
}

/// Some samples of a batch.
template <class Scalar>
class Selected {
 public:
  Selected(const Batch<Scalar>& batch, const std::vector<Index>& samples)
      : is_sparse_(batch.is_sparse()) {
    sparse_.rows = batch.dimension();
    if (!is_sparse_) dense_.resize(batch.dimension(), static_cast<Index>(samples.size()));
    for (std::size_t t = 0; t < samples.size(); ++t) {
      if (!is_sparse_) {
        dense_.col(static_cast<Index>(t)) = batch.matrix().col(samples[t]);
        continue;
      }
      const SparseColumns<Scalar>& x = batch.columns();
      for (Index p = x.starts[samples[t]]; p < x.starts[samples[t] + 1]; ++p) {
        sparse_.push(x.indices[p], x.values[p]);
      }
      sparse_.end_column();
    }
  }
  Batch<Scalar> batch() const {
    return is_sparse_ ? Batch<Scalar>::sparse(sparse_) : Batch<Scalar>::dense(dense_);
  }

 private:
  bool is_sparse_;
  Matrix<Scalar> dense_;
  SparseMatrix<Scalar> sparse_;
};

template <class Scalar>
Codes<Scalar> chosen_codes(const CodingDictionary<Scalar>& dictionary,
                           const Batch<Scalar>& batch,
                           const CodingOptions& options,
                           const BisectionOptions& bisection,
                           ThreadPool& pool,
                           KnownProducts<Scalar>* known) {
  if (!searchable(dictionary, options)) {
    return encode_exactly(dictionary, batch, options, bisection, pool);
  }
  std::vector<Index> left;
  Codes<Scalar> codes = encode_by_search(dictionary, batch, options, pool, left, known);
  if (left.empty()) return codes;
  if (known) *known = {};  // both need much memory
  const Selected<Scalar> rest(batch, left);
  return spliced(codes, left, encode_exactly(dictionary, rest.batch(), options, bisection, pool));
}

}  // namespace

template <class Scalar>
Codes<Scalar> encode(const CodingDictionary<Scalar>& dictionary,
                     const Batch<Scalar>& batch,
                     const CodingOptions& options,
                     const BisectionOptions& bisection,
                     ThreadPool& pool) {
  check_dimension(dictionary, batch);
  require_squarable(batch, pool);
  return encode_checked(dictionary, batch, options, bisection, pool);
}

template <class Scalar>
Codes<Scalar> encode_checked(const CodingDictionary<Scalar>& dictionary,
                             const Batch<Scalar>& batch,
                             const CodingOptions& options,
                             const BisectionOptions& bisection,
                             ThreadPool& pool,
                             KnownProducts<Scalar>* known) {
  Codes<Scalar> codes = chosen_codes(dictionary, batch, options, bisection, pool, known);
  const Index k = dictionary.size();
  if (dictionary.norm() == AtomNorm::Centered) codes = without_constants(std::move(codes), batch);
  if (!options.refit || is_least_squares(options, k)) return codes;
  return refitted(dictionary, batch, codes, pool);
}

template Codes<double> encode(const CodingDictionary<double>&,
                              const Batch<double>&,
                              const CodingOptions&,
                              const BisectionOptions&,
                              ThreadPool&);
template Codes<float> encode(const CodingDictionary<float>&,
                             const Batch<float>&,
                             const CodingOptions&,
                             const BisectionOptions&,
                             ThreadPool&);

template Codes<double> encode_checked(const CodingDictionary<double>&,
                                      const Batch<double>&,
                                      const CodingOptions&,
                                      const BisectionOptions&,
                                      ThreadPool&,
                                      KnownProducts<double>*);
template Codes<float> encode_checked(const CodingDictionary<float>&,
                                     const Batch<float>&,
                                     const CodingOptions&,
                                     const BisectionOptions&,
                                     ThreadPool&,
                                     KnownProducts<float>*);

}  // namespace nodl
