// What two threads gain over one, as a share of what two processes gain.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "training.h"

namespace nodl::bench {

/// Does the next part of a workload, some tens of milliseconds of it.
using Part = std::function<void()>;
/// Makes it for a number of threads.
using MakePart = std::function<Part(int threads)>;

/// The share in each round. In a round two processes of one thread do a part each at the same time,
/// and then one process of two threads does one: parts that short meet the same neighbours on a
/// shared machine, where whole runs, one after the other, meet different ones.
std::vector<double> scaling_shares(const MakePart& make_part, int rounds);

/// Learns from the next batches; from the first ones again after the last.
template <class Scalar>
MakePart learning(const Matrix<Scalar>& samples,
                  const Matrix<Scalar>& atoms,
                  const Options& options,
                  Index batches) {
  return [&samples, &atoms, options, batches](int threads) -> Part {
    const auto learner = std::make_shared<Learner<Scalar>>(start_from(atoms, options), threads);
    learner->report_scores(false);
    return [&samples, learner, batches, next = Index(0)]() mutable {
      const Index n = std::min(learner->model().options.batch_size, samples.cols());
      for (Index b = 0; b < batches; ++b, next += n) {
        if (next + n > samples.cols()) next = 0;
        learner->learn_batch(Batch<Scalar>::dense(samples).middle(next, n));
      }
    };
  };
}

/// Codes the first samples.
template <class Scalar>
MakePart coding(const Matrix<Scalar>& samples,
                const Matrix<Scalar>& atoms,
                const Options& options,
                Index count) {
  return [&samples, &atoms, options, count](int threads) -> Part {
    const auto learner = std::make_shared<Learner<Scalar>>(start_from(atoms, options), threads);
    return [&samples, learner, count = std::min(count, samples.cols())] {
      learner->encode(Batch<Scalar>::dense(samples).middle(0, count));
    };
  };
}

}  // namespace nodl::bench
