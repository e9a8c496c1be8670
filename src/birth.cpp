#include "nodl/birth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "magnitude.h"
#include "nodl/error.h"

namespace nodl {

BirthDecision decide_births(double correlation,
                            bool first_batch_of_call,
                            Index atoms,
                            const BirthOptions& options,
                            Index& carried) {
  Index wanted = 0;
  BirthReason reason = BirthReason::LowCorrelation;
  if (options.births == Births::Always) {
    wanted = options.max_births;
    reason = BirthReason::Always;
  } else if (first_batch_of_call && !options.first_batch_births) {
    carried = 0;
  } else if (correlation <= options.birth_threshold) {  // Alg.1 step 5
    // Alg.1 step 6. Rounded down, with room for the rounding of 1 - p; never more than c_k, also
    // where the correlation is negative.
    const double error = std::min(1.0, 1 - correlation);
    const double count = error * static_cast<double>(options.max_births);
    wanted = static_cast<Index>(std::floor(count + 1e-9));
    carried = wanted;
  } else {
    wanted = options.birth_rate == BirthRate::Carried ? std::min(carried, options.max_births) : 0;
    reason = BirthReason::CarriedRate;
  }
  const Index room = std::max<Index>(0, options.max_atoms - atoms);
  if (wanted <= room) return {wanted, 0, BirthLimit::None, reason};
  return {room, wanted - room, BirthLimit::MaxAtoms, reason};
}

template <class Scalar>
Matrix<Scalar> random_atoms(Index dimension,
                            Index count,
                            std::uint64_t seed,
                            Purpose purpose,
                            std::uint64_t batch,
                            AtomSign sign) {  // Alg.1 step 7
  Matrix<Scalar> atoms(dimension, count);
  Vector<double> atom(dimension);
  for (Index j = 0; j < count; ++j) {
    Random random(seed, purpose, batch, static_cast<std::uint32_t>(j));
    for (Index r = 0; r < dimension; ++r) atom[r] = random.uniform();
    // One coordinate has nothing left once its mean is taken out.
    if (dimension > 1 && sign == AtomSign::Any) atom.array() -= atom.mean();
    atoms.col(j) = atom.normalized().template cast<Scalar>();
  }
  return atoms;
}

template <class Scalar>
Matrix<Scalar> sample_atoms(const Batch<Scalar>& batch,
                            const std::vector<double>& correlation,
                            Index count,
                            AtomNorm norm,
                            AtomSign sign) {
  std::vector<Index> order(batch.samples());
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return correlation[a] < correlation[b];
  });
  Matrix<Scalar> atoms(batch.dimension(), count);
  Index made = 0;
  for (const Index i : order) {
    if (made == count) break;
    Vector<double> atom = Vector<double>::Zero(batch.dimension());
    if (batch.is_sparse()) {
      const SparseColumns<Scalar>& x = batch.columns();
      for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) atom[x.indices[p]] = x.values[p];
    } else {
      atom = batch.matrix().col(i).template cast<double>();
    }
    if (norm == AtomNorm::Centered) {
      const double square = atom.squaredNorm();
      atom.array() -= atom.mean();
      if (is_rounding(atom.squaredNorm(), square)) continue;
    }
    if (sign == AtomSign::NonNegative) atom = atom.cwiseMax(0.0).eval();
    const double largest = atom.lpNorm<Eigen::Infinity>();
    if (!(largest > 0)) continue;
    // No overflow, whatever the data's scale.
    atoms.col(made++) = (atom / largest).normalized().template cast<Scalar>();
  }
  atoms.conservativeResize(Eigen::NoChange, made);
  return atoms;
}

template <class Scalar>
void make_non_negative(Matrix<Scalar>& atoms) {
  for (Index j = 0; j < atoms.cols(); ++j) {
    auto atom = atoms.col(j);
    const Vector<Scalar> positive = atom.cwiseMax(Scalar(0));
    const Vector<Scalar> negative = (-atom).cwiseMax(Scalar(0));
    atom = positive.squaredNorm() >= negative.squaredNorm() ? positive : negative;
    atom.normalize();
  }
}

template void make_non_negative(Matrix<double>&);
template void make_non_negative(Matrix<float>&);
template Matrix<double> random_atoms(Index, Index, std::uint64_t, Purpose, std::uint64_t, AtomSign);
template Matrix<float> random_atoms(Index, Index, std::uint64_t, Purpose, std::uint64_t, AtomSign);
template Matrix<double> sample_atoms(
    const Batch<double>&, const std::vector<double>&, Index, AtomNorm, AtomSign);
template Matrix<float> sample_atoms(
    const Batch<float>&, const std::vector<double>&, Index, AtomNorm, AtomSign);

}  // namespace nodl
