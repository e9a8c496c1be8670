// Kernels of one batch: Gram matrix, coders, memories, update, metrics. Arguments: m, k, atom
// nonzeros.
#include <benchmark/benchmark.h>

#include "nodl/birth.h"
#include "nodl/nodl.h"
#include "nodl/update.h"

namespace {

using namespace nodl;

constexpr Index kBatch = 200;

/// A learner that has seen a few batches of noise with structure, and one more batch.
template <class Scalar>
struct Setting {
  explicit Setting(const benchmark::State& state)
      : m(state.range(0)), learner(m, options(state)), samples(m, kBatch) {
    const Matrix<Scalar> hidden =
        random_atoms<Scalar>(m, 2 * state.range(1), 1, Purpose::SyntheticAtom, 0);
    for (std::uint32_t batch = 0; batch < 3; ++batch) {
      for (Index i = 0; i < kBatch; ++i) {
        Random random(1, Purpose::SyntheticData, batch, static_cast<std::uint32_t>(i));
        samples.col(i).setZero();
        for (int t = 0; t < 10; ++t) {
          const auto atom = static_cast<Index>(random.below(hidden.cols()));
          samples.col(i) += static_cast<Scalar>(random.normal()) * hidden.col(atom);
        }
      }
      learner.learn_batch(Batch<Scalar>::dense(samples));
    }
  }

  static Options options(const benchmark::State& state) {
    Options o;
    o.atoms = state.range(1);
    o.coding.code_nonzeros = 20;
    o.update.atom_nonzeros = state.range(2);
    apply_method(o, Method::Odl);
    return o;
  }
  CodingDictionary<Scalar> coding() const {
    return CodingDictionary<Scalar>(learner.model().dictionary, AtomNorm::Centered);
  }

  Index m;
  Learner<Scalar> learner;
  Matrix<Scalar> samples;
};

template <class Scalar>
void gram(benchmark::State& state) {
  Setting<Scalar> setting(state);
  const auto dictionary = setting.coding();
  for (auto _ : state) benchmark::DoNotOptimize(dictionary.gram(setting.learner.pool()));
}

template <class Scalar, Coder coder>
void code(benchmark::State& state) {
  Setting<Scalar> setting(state);
  const auto dictionary = setting.coding();
  CodingOptions options = setting.learner.model().options.coding;
  options.coder = coder;
  for (auto _ : state) {
    benchmark::DoNotOptimize(encode(
        dictionary, Batch<Scalar>::dense(setting.samples), options, {}, setting.learner.pool()));
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

template <class Scalar>
void accumulate(benchmark::State& state) {
  Setting<Scalar> setting(state);
  const Batch<Scalar> batch = Batch<Scalar>::dense(setting.samples);
  const Codes<Scalar> codes = setting.learner.encode(batch);
  Memory memory = setting.learner.model().memory;
  for (auto _ : state) memory.accumulate(batch, codes, 1, setting.learner.pool());
}

template <class Scalar>
void update(benchmark::State& state) {
  Setting<Scalar> setting(state);
  const Model<Scalar>& model = setting.learner.model();
  UpdateOptions options = model.options.update;
  options.max_sweeps = 1;
  for (auto _ : state) {
    Dictionary<Scalar> dictionary = model.dictionary;
    update_dictionary(dictionary, model.memory, options, {}, setting.learner.pool());
  }
}

template <class Scalar>
void metrics(benchmark::State& state) {
  Setting<Scalar> setting(state);
  const Batch<Scalar> batch = Batch<Scalar>::dense(setting.samples);
  const Codes<Scalar> codes = setting.learner.encode(batch);
  const auto dictionary = setting.coding();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        score(dictionary, batch, codes, Correlations::PearsonAndSpearman, setting.learner.pool()));
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Args({144, 256, 144})->Args({1024, 300, 5})->Unit(benchmark::kMillisecond);
}

BENCHMARK(gram<double>)->Apply(sizes);
BENCHMARK(code<double, Coder::Lars>)->Apply(sizes);
BENCHMARK(code<double, Coder::Cd>)->Apply(sizes);
BENCHMARK(code<double, Coder::Omp>)->Apply(sizes);
BENCHMARK(code<double, Coder::Threshold>)->Apply(sizes);
BENCHMARK(accumulate<double>)->Apply(sizes);
BENCHMARK(update<double>)->Apply(sizes);
BENCHMARK(update<float>)->Apply(sizes);
BENCHMARK(metrics<double>)->Apply(sizes);

}  // namespace
