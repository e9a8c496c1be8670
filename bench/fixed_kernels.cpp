// One kernel, once, on one fixed small problem: what bench/instructions counts.
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "nodl/birth.h"
#include "nodl/nodl.h"
#include "nodl/update.h"

/// The counter is on only in here.
extern "C" void nodl_counted(const std::function<void()>& kernel) {
  kernel();
  asm volatile("");  // no tail call: we must still be in here while the kernel runs
}

namespace {

using namespace nodl;

constexpr Index kBatch = 64;

/// Volatile, so that no part of the function is inlined and the counter sees it begin and end.
void (*volatile const counted)(const std::function<void()>&) = nodl_counted;

/// Samples made of a few hidden atoms each, and noise.
template <class Scalar>
Matrix<Scalar> structured_samples(Index m, Index count) {
  const Index hidden = 2 * m;
  const Matrix<Scalar> atoms = random_atoms<Scalar>(m, hidden, 1, Purpose::SyntheticAtom, 0);
  Matrix<Scalar> samples = random_atoms<Scalar>(m, count, 1, Purpose::SyntheticData, 0) / 10;
  for (Index i = 0; i < count; ++i) {
    Random random(2, Purpose::SyntheticData, static_cast<std::uint64_t>(i));
    for (int t = 0; t < 8; ++t) {
      const auto atom = static_cast<Index>(random.below(static_cast<std::uint64_t>(hidden)));
      samples.col(i) += static_cast<Scalar>(random.normal()) * atoms.col(atom);
    }
    samples.col(i).normalize();
  }
  return samples;
}

/// A learner that has seen two batches, and the batch that comes next.
template <class Scalar>
struct Setting {
  Setting(Index m, Index k, Index atom_nonzeros, std::optional<Index> code_nonzeros)
      : samples(structured_samples<Scalar>(m, 3 * kBatch)), learner(m, options(k)) {
    UpdateOptions& update = learner.model().options.update;
    CodingOptions& coding = learner.model().options.coding;
    update.atom_nonzeros = atom_nonzeros;
    coding.code_nonzeros = code_nonzeros;
    if (!code_nonzeros) coding.lambda = 0.1;
    for (Index i = 0; i < 2; ++i) {
      learner.learn_batch(Batch<Scalar>::dense(samples).middle(i * kBatch, kBatch));
    }
    next = Batch<Scalar>::dense(samples).middle(2 * kBatch, kBatch);
  }
  static Options options(Index k) {
    Options o;
    o.atoms = k;
    o.batch_size = kBatch;
    o.coding.atom_norm = AtomNorm::Unit;
    o.update.max_sweeps = 2;
    apply_method(o, Method::Odl);
    return o;
  }

  Matrix<Scalar> samples;
  Learner<Scalar> learner;
  Batch<Scalar> next;
};

template <class Scalar>
Setting<Scalar> dense() {  // 12x12 patches, lambda given
  return {144, 256, 144, std::nullopt};
}
template <class Scalar>
Setting<Scalar> counted_codes() {  // many nonzeros a code, their number given
  return {256, 200, 256, 60};
}
template <class Scalar>
Setting<Scalar> sparse_atoms() {
  return {400, 150, 5, 30};
}

template <class Scalar>
void gram() {
  Setting<Scalar> s = dense<Scalar>();
  const CodingDictionary<Scalar> D(s.learner.model().dictionary, AtomNorm::Unit);
  counted([&] { D.gram(s.learner.pool()); });
}

template <class Scalar>
void encode(Setting<Scalar> s) {
  counted([&] { s.learner.encode(s.next); });
}

template <class Scalar>
void learn(Setting<Scalar> s) {
  counted([&] { s.learner.learn_batch(s.next); });
}

template <class Scalar>
void accumulate() {
  Setting<Scalar> s = dense<Scalar>();
  const Codes<Scalar> codes = s.learner.encode(s.next);
  Memory memory = s.learner.model().memory;
  counted([&] { memory.accumulate(s.next, codes, 1, s.learner.pool()); });
}

template <class Scalar>
void update(Setting<Scalar> s) {
  const Model<Scalar>& model = s.learner.model();
  Dictionary<Scalar> dictionary = model.dictionary;
  counted([&] {
    update_dictionary(
        dictionary, model.memory, model.options.update, model.options.bisection, s.learner.pool());
  });
}

template <class Scalar>
void metrics() {
  Setting<Scalar> s = dense<Scalar>();
  const Codes<Scalar> codes = s.learner.encode(s.next);
  const CodingDictionary<Scalar> D(s.learner.model().dictionary, AtomNorm::Unit);
  counted([&] { score(D, s.next, codes, Correlations::Pearson, s.learner.pool()); });
}

template <class Scalar>
void add_kernels(const std::string& precision, std::map<std::string, std::function<void()>>& all) {
  all["gram/" + precision] = gram<Scalar>;
  all["encode_lambda/" + precision] = [] { encode(dense<Scalar>()); };
  all["encode_count/" + precision] = [] { encode(counted_codes<Scalar>()); };
  all["accumulate/" + precision] = accumulate<Scalar>;
  all["update_dense/" + precision] = [] { update(dense<Scalar>()); };
  all["update_sparse/" + precision] = [] { update(sparse_atoms<Scalar>()); };
  all["metrics/" + precision] = metrics<Scalar>;
  all["batch_dense/" + precision] = [] { learn(dense<Scalar>()); };
  all["batch_sparse/" + precision] = [] { learn(sparse_atoms<Scalar>()); };
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::function<void()>> kernels;
  add_kernels<double>("float64", kernels);
  add_kernels<float>("float32", kernels);
  if (argc == 2 && kernels.contains(argv[1])) {
    kernels[argv[1]]();
    return 0;
  }
  for (const auto& [name, kernel] : kernels) std::puts(name.c_str());
  return argc == 1 ? 0 : 2;
}
