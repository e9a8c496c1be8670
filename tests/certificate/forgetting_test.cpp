// Memories that forget: an old domain fades, but is never wiped out by underflow.
#include <gtest/gtest.h>

#include <cmath>

#include "nodl/metrics.h"
#include "support/streams.h"

namespace nodl {
namespace {

constexpr Index m = 40, n = 20;

double pearson_on(Learner<double>& learner, const Matrix<double>& X) {
  const Batch<double> batch = Batch<double>::dense(X);
  const auto codes = learner.encode(batch);
  const CodingDictionary<double> coding(learner.model().dictionary,
                                        learner.model().options.coding.atom_norm);
  const Scores scores = score(coding, batch, codes, Correlations::Pearson, learner.pool());
  double sum = 0;
  for (const double p : scores.pearson) sum += p;
  return sum / static_cast<double>(scores.pearson.size());
}

Matrix<double> domain(int number, std::uint64_t seed) {
  return test::latent_samples(m, number * 20, 20, n, static_cast<std::uint64_t>(number), seed);
}

Options options(MemoryKind kind, double half_life) {
  Options o;
  o.atoms = 20;
  o.coding = test::with_count(Coder::Lars, 4, AtomNorm::Raw);
  o.update.atom_nonzeros = 6;
  o.memory.memory = kind;
  o.memory.half_life = half_life;
  return o;
}

// With a half-life of one sample, 60 batches of 20 take the first domain's memories below the
// smallest double (2^-1200). Atoms whose a_jj vanished that way were used, and stay.
TEST(HalfLife, OldAtomsOutliveTheUnderflowOfTheirMemory) {
  for (const Method method : {Method::Nodl, Method::Odl}) {
    Options o = options(MemoryKind::HalfLife, 1);
    apply_method(o, method);
    Learner<double> learner(m, o);
    for (std::uint64_t batch = 0; batch < 15; ++batch) {
      learner.learn_batch(Batch<double>::dense(domain(0, 800 + 2 * batch)));
    }
    const Matrix<double> test_set = domain(0, 999);
    const double before = pearson_on(learner, test_set);
    ASSERT_GT(before, 0.7);
    for (std::uint64_t batch = 0; batch < 60; ++batch) {
      learner.learn_batch(Batch<double>::dense(domain(1, 900 + 2 * batch)));
    }
    // What is left of the memory is of the last samples only, and the update goes on with it until
    // it has faded: atoms may still move a little, but not be lost.
    EXPECT_GE(pearson_on(learner, test_set), before - 0.05) << name_of(method);
    EXPECT_TRUE(learner.model().memory.A().allFinite());
  }
}

// The same for samples that tell nothing: a sensor that is off for a long time.
// The mean of some streams: with memories that fade a millionfold each batch, rounding decides what
// a single one keeps.
TEST(HalfLife, SilenceKillsNothing) {
  constexpr std::uint64_t kStreams = 12;
  double lost = 0;
  for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
    Learner<double> learner(m, options(MemoryKind::HalfLife, 1));
    for (std::uint64_t batch = 0; batch < 15; ++batch) {
      learner.learn_batch(Batch<double>::dense(domain(0, 1000 * stream + 2 * batch)));
    }
    const Matrix<double> test_set = domain(0, 1000 * stream + 999);
    const double before = pearson_on(learner, test_set);
    const Matrix<double> silence = Matrix<double>::Zero(m, n);
    for (int batch = 0; batch < 100; ++batch) learner.learn_batch(Batch<double>::dense(silence));
    lost += before - pearson_on(learner, test_set);
  }
  EXPECT_LE(lost / kStreams, 0.05);
}

TEST(Mairal, KeepsAPositiveSemidefiniteAThroughUnevenBatches) {
  Learner<double> learner(m, options(MemoryKind::Mairal, 0));
  for (const Index size : {5, 100, 20, 400}) {
    const auto X = test::latent_samples(m, 0, 20, size, 0, static_cast<std::uint64_t>(size));
    learner.learn_batch(Batch<double>::dense(X));
    EXPECT_GE(learner.model().memory.A().diagonal().minCoeff(), 0);
  }
}

TEST(Sum, KeepsTheOldDomainWithNodl) {
  Learner<double> learner(m, options(MemoryKind::Sum, 0));
  for (std::uint64_t batch = 0; batch < 15; ++batch) {
    learner.learn_batch(Batch<double>::dense(domain(0, 800 + 2 * batch)));
  }
  const double before = pearson_on(learner, domain(0, 999));
  for (std::uint64_t batch = 0; batch < 15; ++batch) {
    learner.learn_batch(Batch<double>::dense(domain(1, 900 + 2 * batch)));
  }
  EXPECT_GE(pearson_on(learner, domain(0, 999)), before - 0.02);
  EXPECT_GE(pearson_on(learner, domain(1, 998)), 0.7) << "and learns the new one";
}

}  // namespace
}  // namespace nodl
