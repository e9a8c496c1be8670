// memory_limit: the formula by hand, and what it decides.
#include "nodl/footprint.h"

#include <gtest/gtest.h>

#include <limits>

#include "nodl/error.h"
#include "support/streams.h"

namespace nodl {
namespace {

Options small_options() {
  Options options;
  options.coding.code_nonzeros = 3;
  options.update.atom_nonzeros = 4;
  return options;
}

TEST(Footprint, IsTheDocumentedFormula) {
  const LearningSize size{
      .dimension = 10, .sparse_atoms = 2, .dense_atoms = 1, .samples = 5, .batch_numbers = 50};
  // A 72, B 240, D 96 + 80, all twice; Gram 72; atoms 384 + 240; codes 840 + 240; samples 20 x 50;
  // panels 1024 x 13 + 72.
  EXPECT_EQ(learning_bytes(size, small_options(), Precision::Float64),
            976 + 72 + 624 + 1080 + 1000 + 13384);
  // D 64 + 40, atoms 384 + 200, samples 16 x 50.
  EXPECT_EQ(learning_bytes(size, small_options(), Precision::Float32),
            832 + 72 + 584 + 1080 + 800 + 13384);
}

TEST(Footprint, OfAbsurdSizesDoesNotOverflow) {
  constexpr Index most = std::numeric_limits<RowIndex>::max();
  const LearningSize size{most, most, most, most, std::numeric_limits<Index>::max()};
  EXPECT_EQ(learning_bytes(size, small_options(), Precision::Float64),
            std::numeric_limits<std::int64_t>::max());
}

TEST(Footprint, BirthsUpToTheLimitAndNotOneMore) {
  Options options = small_options();
  const LearningSize before{10, 2, 0, 5, 50};
  EXPECT_EQ(affordable_births(7, before, options, Precision::Float64), 7) << "no limit";
  for (Index affordable = 0; affordable <= 9; ++affordable) {
    LearningSize after = before;
    after.dense_atoms = affordable;
    const std::int64_t needed = learning_bytes(after, options, Precision::Float64);
    options.birth.memory_limit = needed;
    EXPECT_EQ(affordable_births(7, before, options, Precision::Float64),
              std::min<Index>(7, affordable));
    EXPECT_NO_THROW(require_memory(after, options, Precision::Float64));
    options.birth.memory_limit = needed - 1;
    EXPECT_EQ(affordable_births(7, before, options, Precision::Float64),
              std::min<Index>(7, std::max<Index>(0, affordable - 1)));
    EXPECT_THROW(require_memory(after, options, Precision::Float64), InvalidOptions);
    options.birth.memory_limit = 0;
  }
}

TEST(MemoryLimit, DeniesBirthsAndSaysSo) {
  Options options;
  options.atoms = 10;
  options.batch_size = 20;
  options.coding.code_nonzeros = 3;
  options.birth.births = Births::Always;
  options.birth.max_births = 7;
  options.birth.max_atoms = 40;
  apply_method(options, Method::NodlPlus);
  const Options resolved = resolve(options, 40);
  // Room for 22 atoms, were all of them dense; sparse ones are smaller.
  options.birth.memory_limit = learning_bytes({40, 0, 22, 20, 800}, resolved, Precision::Float64);
  Learner<double> learner(40, options);
  const auto summaries = test::learn(learner, test::latent_samples(40, 0, 40, 200, 1, 603), 20);
  EXPECT_EQ(summaries[0].denied_by, BirthLimit::None);
  EXPECT_EQ(summaries[0].atoms, 17);
  const BatchSummary& last = summaries.back();
  EXPECT_EQ(last.denied_by, BirthLimit::MemoryLimit);
  EXPECT_EQ(last.denied, 7);
  EXPECT_EQ(last.born.size(), 0u);
  EXPECT_GE(last.atoms, 22);
  EXPECT_LT(last.atoms, 40);
  for (const BatchSummary& summary : summaries) {
    EXPECT_EQ(static_cast<Index>(summary.born.size()) + summary.denied, 7);
  }
}

TEST(MemoryLimit, BelowTheInitialAtomsIsRefusedBeforeAnythingIsLearned) {
  Options options;
  options.atoms = 50;
  options.birth.memory_limit = 100000;
  EXPECT_THROW(Learner<double>(100, options), InvalidOptions);
  // The samples themselves do not fit.
  options.atoms = 1;
  options.batch_size = 1000;
  options.coding.code_nonzeros = 1;
  options.birth.memory_limit = 200000;
  Learner<double> learner(100, options);
  const Matrix<double> X = test::gaussian(100, 1000, 1);
  EXPECT_THROW(learner.learn_batch(Batch<double>::dense(X)), InvalidOptions);
  EXPECT_EQ(learner.model().progress.batches, 0);
}

TEST(LargeNumbers, AreRefusedBeforeAnythingIsLearned) {
  Options options;
  options.atoms = 3;
  Learner<double> learner(5, options);
  Matrix<double> X = test::gaussian(5, 10, 1);
  X(3, 6) = -1e141;
  EXPECT_THROW(learner.learn_batch(Batch<double>::dense(X)), DataError);
  EXPECT_THROW(learner.encode(Batch<double>::dense(X)), DataError);
  EXPECT_EQ(learner.model().progress, Progress{});
  const SparseMatrix<double> sparse = test::to_sparse<double>(X);
  EXPECT_THROW(learner.learn_batch(Batch<double>::sparse(sparse)), DataError);
  X(3, 6) = -1e139;
  EXPECT_NO_THROW(learner.learn_batch(Batch<double>::dense(X)));
}

}  // namespace
}  // namespace nodl
