// Learners and streams for tests of whole runs.
#pragma once

#include <vector>

#include "nodl/learner.h"
#include "support/problems.h"

namespace nodl::test {

/// A learner that starts from a given dictionary and has seen nothing.
template <class Scalar>
Learner<Scalar> learner_from(const Matrix<double>& atoms, Options options, int threads = 1) {
  options.atoms = atoms.cols();
  Model<Scalar> model;
  model.options = resolve(options, atoms.rows());
  model.dictionary = dictionary_of<Scalar>(atoms.cast<Scalar>());
  model.memory = Memory(atoms.rows(), atoms.cols());
  model.progress.next_id = atoms.cols();
  model.initialised = true;
  return Learner<Scalar>(std::move(model), threads);
}

/// Learns the columns of X in batches; returns what each batch did.
template <class Scalar>
std::vector<BatchSummary> learn(Learner<Scalar>& learner,
                                const Matrix<double>& X,
                                Index batch_size) {
  std::vector<BatchSummary> summaries;
  const Matrix<Scalar> samples = X.cast<Scalar>();
  const Batch<Scalar> all = Batch<Scalar>::dense(samples);
  for (Index first = 0; first < X.cols(); first += batch_size) {
    const Index count = std::min(batch_size, X.cols() - first);
    summaries.push_back(learner.learn_batch(all.middle(first, count)));
  }
  return summaries;
}

/// Samples of a domain with its own hidden dictionary: `active` of `hidden` sparse atoms, on the
/// rows first .. first + count - 1, with a little noise there.
inline Matrix<double> latent_samples(
    Index rows, Index first, Index count, Index samples, std::uint64_t domain, std::uint64_t seed) {
  const Index hidden = 8, active = 3;
  Matrix<double> X = Matrix<double>::Zero(rows, samples);
  const Matrix<double> atoms =
      unit_columns(sparse_gaussian(count, hidden, std::min<Index>(count, 6), 900 + domain));
  const Matrix<double> codes = sparse_gaussian(hidden, samples, active, seed);
  X.middleRows(first, count) = atoms * codes + 0.05 * gaussian(count, samples, seed + 1);
  return X;
}

template <class Scalar>
bool same_bits(const Model<Scalar>& a, const Model<Scalar>& b) {
  return a.options == b.options && a.progress == b.progress && a.initialised == b.initialised &&
         a.dictionary.size() == b.dictionary.size() &&
         a.dictionary.sparse_size() == b.dictionary.sparse_size() &&
         a.dictionary.records() == b.dictionary.records() &&
         a.dictionary.to_dense() == b.dictionary.to_dense() && a.memory.A() == b.memory.A() &&
         a.memory.B() == b.memory.B();
}

}  // namespace nodl::test
