// The update of sparse atoms beside the same update done dense, on the state of a learner.
#pragma once

#include <algorithm>
#include <vector>

#include "nodl/birth.h"
#include "nodl/nodl.h"
#include "nodl/update.h"
#include "plain_update.h"
#include "result.h"

namespace nodl::bench {

/// Newborn atoms join, one more batch is coded and remembered, and D is updated both ways.
template <class Scalar>
Result compare_updates(const std::string& id,
                       Learner<Scalar>& learner,
                       const Batch<Scalar>& batch,
                       Index newborns) {
  const Model<Scalar>& model = learner.model();
  Memory memory = model.memory;
  Dictionary<Scalar> before = model.dictionary;
  before.append(random_atoms<Scalar>(batch.dimension(), newborns, 1, Purpose::NewbornAtom, 1 << 20),
                std::vector<AtomRecord>(newborns));
  memory.grow(newborns);
  const CodingDictionary<Scalar> D1(before, model.options.coding.atom_norm);
  const Codes<Scalar> codes =
      encode(D1, batch, model.options.coding, model.options.bisection, learner.pool());
  const Vector<double> kept =
      memory.kept(model.options.memory, batch.samples(), model.progress.samples);
  memory.accumulate(batch, codes, 1, learner.pool(), kept);

  Result result{.id = id, .what = "update", .settings = "one update, beside the same done dense"};
  result.dimension = before.dimension();
  result.atoms = before.size();
  // In turns, because one update takes milliseconds and the machine is shared: medians count.
  constexpr std::size_t kTurns = 7;
  Dictionary<Scalar> after = before;
  Matrix<Scalar> dense;
  Index dense_sweeps = 0;
  std::vector<Seconds> sparse_seconds, dense_seconds;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    UpdateResult done;
    after = before;
    sparse_seconds.push_back(measure([&] {
      done = update_dictionary(
          after, memory, model.options.update, model.options.bisection, learner.pool());
    }));
    result.sweeps = static_cast<double>(done.sweeps);
    dense = before.to_dense();
    dense_seconds.push_back(measure([&] {
      dense_sweeps = plain_update(dense, memory, model.options.update, model.options.bisection);
    }));
  }
  const auto median = [](std::vector<Seconds>& of) {
    const auto middle = of.begin() + kTurns / 2;
    std::nth_element(
        of.begin(), middle, of.end(), [](Seconds a, Seconds b) { return a.cpu < b.cpu; });
    return *middle;
  };
  result.seconds = median(sparse_seconds);
  result.cpu_seconds.update = result.seconds.cpu;
  result.atoms_left = after.alive();
  const double dense_cpu = median(dense_seconds).cpu;
  result.more["newborns"] = static_cast<double>(newborns);
  result.more["sweeps"] = result.sweeps;
  result.more["dense_sweeps"] = static_cast<double>(dense_sweeps);
  result.more["dense_cpu_seconds"] = dense_cpu;
  result.more["times_faster"] = dense_cpu / std::max(result.seconds.cpu, 1e-6);
  result.more["largest_difference"] =
      static_cast<double>((after.to_dense() - dense).cwiseAbs().maxCoeff());
  return result;
}

}  // namespace nodl::bench
