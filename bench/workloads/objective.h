// The judge of a dictionary: codes of held-out samples with the certified coder in double
// precision, atoms projected into the unit ball, whatever learned them.
#pragma once

#include "nodl/nodl.h"

namespace nodl::bench {

/// Mean of 1/2 |x - D a|^2 + lambda |a|_1, with lambda = 0 where the number of nonzeros is given.
template <class Scalar>
double objective(const CodingDictionary<Scalar>& dictionary,
                 const Batch<Scalar>& samples,
                 const Codes<Scalar>& codes,
                 double lambda,
                 ThreadPool& pool) {
  const Scores scores = score(dictionary, samples, codes, Correlations::Pearson, pool);
  double sum = 0;
  for (const double error : scores.squared_error) sum += error / 2;
  for (const Scalar value : codes.columns.values) sum += lambda * std::abs(value);
  return sum / static_cast<double>(samples.samples());
}

inline double heldout_objective(Matrix<double> atoms,
                                const Matrix<float>& heldout,
                                const CodingOptions& coding) {
  for (Index j = 0; j < atoms.cols(); ++j) atoms.col(j) /= std::max(1.0, atoms.col(j).norm());
  Dictionary<double> dictionary(atoms.rows());
  dictionary.append(atoms, std::vector<AtomRecord>(atoms.cols()));
  const CodingDictionary<double> D(dictionary, AtomNorm::Raw);
  const Matrix<double> x = heldout.cast<double>();
  const Batch<double> samples = Batch<double>::dense(x);
  ThreadPool pool;
  const Codes<double> codes = encode(D, samples, coding, {}, pool);
  return objective(D, samples, codes, coding.lambda.value_or(0), pool);
}

}  // namespace nodl::bench
