// Pieces that all training workloads share.
#pragma once

#include "nodl/nodl.h"
#include "result.h"

namespace nodl::bench {

/// A learner that starts from given atoms.
template <class Scalar>
Model<Scalar> start_from(const Matrix<Scalar>& atoms, Options options) {
  const Index m = atoms.rows(), k = atoms.cols();
  options.atoms = k;
  Model<Scalar> model;
  model.options = options;
  model.dictionary = Dictionary<Scalar>(m);
  std::vector<AtomRecord> records(k);
  for (Index j = 0; j < k; ++j) records[j].id = j;
  model.dictionary.append(atoms, records);
  model.memory = Memory(m, k);
  model.progress.next_id = k;
  model.initialised = true;
  return model;
}

/// Feeds samples in batches and adds up what the batches tell.
template <class Scalar>
void feed(Learner<Scalar>& learner, const Batch<Scalar>& samples, Result& result) {
  learner.report_scores(false);  // rivals do not tell either
  const Index batch_size = learner.model().options.batch_size;
  double nonzeros = result.code_nonzeros * static_cast<double>(result.samples);
  for (Index first = 0; first < samples.samples(); first += batch_size) {
    const Index count = std::min(batch_size, samples.samples() - first);
    const BatchSummary summary = learner.learn_batch(samples.middle(first, count));
    add(result.cpu_seconds, summary.cpu_seconds);
    nonzeros += summary.code_nonzeros * static_cast<double>(count);
    const double us = 1e6 * all_stages(summary.cpu_seconds) / static_cast<double>(count);
    double& least = result.more["least_us_per_sample"];
    if (count == batch_size && (least == 0 || us < least)) least = us;
    result.more["batches"] += 1;
    result.more["sweeps"] += static_cast<double>(summary.sweeps);
  }
  result.samples += samples.samples();
  result.code_nonzeros = nonzeros / static_cast<double>(result.samples);
  result.sweeps = result.more["sweeps"] / result.more["batches"];
  result.atoms_left = learner.model().dictionary.size();
}

/// What training may hold at most: 1.5 (2A + 2B + D + batch (m + 3k)) numbers. A and B are double.
template <class Scalar>
double allowed_heap(Index m, Index k, Index batch) {
  const double memories = 2.0 * static_cast<double>(k * k + m * k) * sizeof(double);
  const double rest = static_cast<double>(m * k + batch * (m + 3 * k)) * sizeof(Scalar);
  return 1.5 * (memories + rest);
}

}  // namespace nodl::bench
