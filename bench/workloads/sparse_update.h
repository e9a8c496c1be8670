// The update of sparse atoms beside the same update done dense, on the state of a learner.
#pragma once

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
  Dictionary<Scalar> after = before;
  UpdateResult done;
  result.seconds = measure([&] {
    done = update_dictionary(
        after, memory, model.options.update, model.options.bisection, learner.pool());
  });
  result.cpu_seconds.update = result.seconds.cpu;
  result.sweeps = static_cast<double>(done.sweeps);
  result.atoms_left = after.alive();
  Matrix<Scalar> dense = before.to_dense();
  Index sweeps = 0;
  const Seconds seconds = measure(
      [&] { sweeps = plain_update(dense, memory, model.options.update, model.options.bisection); });
  result.more["newborns"] = static_cast<double>(newborns);
  result.more["sweeps"] = result.sweeps;
  result.more["dense_sweeps"] = static_cast<double>(sweeps);
  result.more["dense_cpu_seconds"] = seconds.cpu;
  result.more["times_faster"] = seconds.cpu / std::max(result.seconds.cpu, 1e-6);
  result.more["largest_difference"] =
      static_cast<double>((after.to_dense() - dense).cwiseAbs().maxCoeff());
  return result;
}

}  // namespace nodl::bench
