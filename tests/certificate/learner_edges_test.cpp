// Streams and models at the edge of what makes sense: the learner stays sound, or says no.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nodl/error.h"
#include "nodl/footprint.h"
#include "support/streams.h"

namespace nodl {
namespace {

constexpr Index kDimension = 48, kSamples = 40;

Matrix<double> usual_samples(std::uint64_t seed) {
  return test::latent_samples(kDimension, 0, kDimension, kSamples, 1, seed);
}

Options usual_options() {
  Options options;
  options.atoms = 12;
  options.coding = test::with_count(Coder::Lars, 6, AtomNorm::Centered);
  options.update.atom_nonzeros = 8;
  options.birth.max_births = 10;
  return options;
}

// 0.1 is not a binary fraction: its mean is right to rounding only.
TEST(LearnerEdges, ConstantSamplesCauseNoBirthsAndHaveNoCodes) {
  const Matrix<double> constant = Matrix<double>::Constant(kDimension, kSamples, 0.1);
  for (const BirthInit init : {BirthInit::Random, BirthInit::Sample, BirthInit::Residual}) {
    SCOPED_TRACE(name_of(init));
    Options options = usual_options();
    options.birth.birth_init = init;
    Learner<double> learner(kDimension, options, 1);
    for (std::uint64_t batch = 0; batch < 4; ++batch) {
      learner.learn_batch(Batch<double>::dense(usual_samples(batch)));
    }
    const Index before = learner.model().dictionary.size();
    for (int batch = 0; batch < 3; ++batch) {
      const BatchSummary summary = learner.learn_batch(Batch<double>::dense(constant));
      EXPECT_TRUE(summary.born.empty());
      EXPECT_EQ(summary.code_nonzeros, 0);
    }
    EXPECT_EQ(learner.model().dictionary.size(), before);
  }
}

TEST(LearnerEdges, AtomsAreNotBornFromConstantSamples) {
  Matrix<double> mixed = usual_samples(7);
  mixed.leftCols(kSamples / 2).setConstant(0.1);
  Options options = usual_options();
  options.birth.max_births = kSamples;
  options.birth.births = Births::Always;
  options.birth.birth_init = BirthInit::Sample;
  Learner<double> learner(kDimension, options, 1);
  const BatchSummary summary = learner.learn_batch(Batch<double>::dense(mixed));
  EXPECT_EQ(summary.born.size(), static_cast<std::size_t>(kSamples / 2));
}

TEST(LearnerEdges, GoesOnWithoutAnyAtom) {
  Options options = usual_options();
  options.birth.max_births = 0;
  options.update.group_penalty = 5;
  options.update.last_atom = LastAtom::Die;
  Learner<double> learner(kDimension, options, 1);
  for (std::uint64_t batch = 0; batch < 3; ++batch) {
    learner.learn_batch(Batch<double>::dense(usual_samples(batch)));
  }
  EXPECT_EQ(learner.model().dictionary.size(), 0);
  EXPECT_EQ(learner.model().progress.batches, 3);
}

// Memories are sums of squares, which leave the range of float32 long before the samples do.
TEST(LearnerEdges, DenseAtomsLearnFromSamplesOfAnySizeInSinglePrecision) {
  Options options = usual_options();
  options.update.atom_nonzeros = kDimension;
  double usual = 0;
  for (const double size : {1.0, 1e-24, 1e-20, 1e18, 1e30}) {
    SCOPED_TRACE(size);
    Learner<float> learner(kDimension, options, 1);
    double pearson = 0;
    for (std::uint64_t batch = 0; batch < 6; ++batch) {
      const Matrix<float> X = (size * usual_samples(batch)).cast<float>();
      pearson = learner.learn_batch(Batch<float>::dense(X)).pearson_after;
    }
    EXPECT_TRUE(learner.model().dictionary.to_dense().allFinite());
    if (size == 1) usual = pearson;
    EXPECT_NEAR(pearson, usual, 0.02);
  }
}

template <class Scalar>
void expect_refused(Scalar number) {
  Learner<Scalar> learner(kDimension, usual_options(), 1);
  Matrix<Scalar> X = usual_samples(1).cast<Scalar>();
  X(5, 3) = number;
  EXPECT_THROW(learner.learn_batch(Batch<Scalar>::dense(X)), DataError);
  const SparseMatrix<Scalar> sparse = test::to_sparse<Scalar>(X);
  EXPECT_THROW(learner.learn_batch(Batch<Scalar>::sparse(sparse)), DataError);
  EXPECT_EQ(learner.model().progress.batches, 0);
}

TEST(LearnerEdges, RefusesNumbersThatAreNotFinite) {
  expect_refused<double>(std::numeric_limits<double>::quiet_NaN());
  expect_refused<double>(std::numeric_limits<double>::infinity());
  expect_refused<double>(1e200);
  expect_refused<float>(std::numeric_limits<float>::quiet_NaN());
  expect_refused<float>(-std::numeric_limits<float>::infinity());
}

TEST(LearnerEdges, RefusesModelsWhosePartsDoNotMatch) {
  Learner<double> learner(kDimension, usual_options(), 1);
  learner.learn_batch(Batch<double>::dense(usual_samples(1)));
  Model<double> model = learner.model();
  model.initialised = false;
  EXPECT_THROW(Learner<double>(model, 1), InvalidOptions);
  model.initialised = true;
  model.options.atoms = 1;
  model.options.birth.max_atoms = model.dictionary.size() - 1;
  EXPECT_THROW(Learner<double>(model, 1), InvalidOptions);
  model.options.birth.max_atoms = 100;
  model.memory = Memory(kDimension, model.dictionary.size() - 1);
  Learner<double> without_memories(model, 1);
  EXPECT_THROW(without_memories.learn_batch(Batch<double>::dense(usual_samples(2))), ShapeMismatch);
}

// Sparse samples need little memory, in the second half of a run as in the first.
TEST(LearnerEdges, AMemoryLimitForSparseSamplesIsEnoughToGoOn) {
  constexpr Index wide = 4000;
  const Matrix<double> X = test::sparse_gaussian(wide, kSamples, 10, 1);
  const SparseMatrix<double> sparse = test::to_sparse<double>(X);
  Options options = usual_options();
  options.batch_size = kSamples;
  options.birth.max_births = 0;
  const LearningSize first{wide, 0, options.atoms, kSamples, sparse.nonzeros()};
  options.birth.memory_limit = learning_bytes(first, options, Precision::Float64);
  Learner<double> learner(wide, options, 1);
  learner.learn_batch(Batch<double>::sparse(sparse));
  Learner<double> second(learner.model(), 1);
  second.learn_batch(Batch<double>::sparse(sparse));
  EXPECT_EQ(second.model().progress.batches, 2);
}

// The rate that a model carries may be larger than what the options of now allow.
TEST(LearnerEdges, CarriedBirthsObeyTheOptionsOfNow) {
  Options options = usual_options();
  options.birth.birth_rate = BirthRate::Carried;
  options.birth.births = Births::Conditional;
  options.birth.birth_threshold = 0;  // no new rate
  Learner<double> learner(kDimension, options, 1);
  learner.learn_batch(Batch<double>::dense(usual_samples(1)));
  for (const Index allowed : {0, 3}) {
    Model<double> model = learner.model();
    model.progress.carried_births = 9;
    model.options.birth.max_births = allowed;
    Learner<double> second(std::move(model), 1);
    const BatchSummary summary = second.learn_batch(Batch<double>::dense(usual_samples(2)));
    EXPECT_EQ(summary.born.size(), static_cast<std::size_t>(allowed));
  }
}

}  // namespace
}  // namespace nodl
