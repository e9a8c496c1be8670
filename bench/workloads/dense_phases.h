// Gram matrix, correlations and dense update: what share of the machine's GEMM rate they reach.
#pragma once

#include "context.h"
#include "nodl/nodl.h"
#include "nodl/update.h"
#include "result.h"

namespace nodl::bench {

/// Flops are those that must be done: the Gram matrix and A are symmetric, so half of them are not.
template <class Scalar>
void measure_dense_phases(const Context& context,
                          Learner<Scalar>& learner,
                          const Batch<Scalar>& samples,
                          Result& result) {
  const Dictionary<Scalar>& D = learner.model().dictionary;
  const double m = static_cast<double>(D.dimension()), k = static_cast<double>(D.size());
  const Index n = std::min(learner.model().options.batch_size, samples.samples());
  const CodingDictionary<Scalar> D1(D, learner.model().options.coding.atom_norm);
  constexpr double kEnough = 0.3;  // seconds, as for GEMM itself
  const auto share = [&](double flops, double seconds) {
    return flops / seconds / context.machine.gemm;
  };
  const double gram = least_cpu_seconds([&] { D1.gram(learner.pool()); }, kEnough);
  result.gemm_share["gram"] = share(m * k * (k + 1), gram);
  Matrix<Scalar> out(D.size(), n);
  const Batch<Scalar> some = samples.middle(0, n);
  const double correlate = least_cpu_seconds([&] { D1.correlate(some, out.data()); }, kEnough);
  result.gemm_share["correlate"] = share(2 * m * k * static_cast<double>(n), correlate);
  if (!(result.cpu_seconds.update > 0)) return;
  Dictionary<Scalar> changing = D;
  const Options& options = learner.model().options;
  UpdateResult done;
  const double update = least_cpu_seconds(
      [&] {
        done = update_dictionary(
            changing, learner.model().memory, options.update, options.bisection, learner.pool());
      },
      kEnough);
  result.gemm_share["update"] = share(2 * m * k * k * static_cast<double>(done.sweeps), update);
}

/// CPU microseconds a sample of dense training; docs/PERFORMANCE.md, "Cost model".
inline std::map<std::string, double> training_model(const Context& context, const Result& r) {
  const double m = static_cast<double>(r.dimension), k = static_cast<double>(r.atoms);
  const double s = r.code_nonzeros;
  const double batch = static_cast<double>(r.samples) / r.more.at("batches");
  const double gemm = 1e6 / context.machine.gemm, gemv = 1e6 / context.machine.gemv;
  std::map<std::string, double> model;
  model["gram"] = m * k * k / batch * gemm;
  model["correlate"] = 2 * m * k * gemm;
  model["solve"] = (k * s * s + 4 * k * s) * gemv;
  // A and B, doubles, are scaled and added to once a batch.
  const double pass = 2 * sizeof(double) * (k * k + m * k) / context.machine.stream * 1e6;
  model["memory"] = (s * s + 2 * m * s) * gemv + pass / batch;
  model["update"] = r.sweeps * 2 * m * k * k / batch * gemm;
  model["metrics"] = 2 * 2 * m * s * gemv;
  double all = 0;
  for (const auto& [stage, us] : model) all += us;
  model["all"] = all;
  return model;
}

}  // namespace nodl::bench
