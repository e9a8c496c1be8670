// What holds after every batch of a long run with births, deaths and changing domains.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <set>
#include <string>
#include <tuple>

#include "support/streams.h"

namespace nodl {
namespace {

using Setting = std::tuple<Preset, Coder, BirthInit, bool>;  // the last: sparse samples

class LearnerInvariants : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(
    ,
    LearnerInvariants,
    ::testing::Combine(::testing::Values(Preset::Paper, Preset::Released),
                       ::testing::Values(Coder::Lars, Coder::Cd, Coder::Omp, Coder::Threshold),
                       ::testing::Values(BirthInit::Random, BirthInit::Sample, BirthInit::Residual),
                       ::testing::Bool()),
    [](const ::testing::TestParamInfo<Setting>& tested) {
      return std::string(name_of(std::get<0>(tested.param))) + "_" +
             std::string(name_of(std::get<1>(tested.param))) + "_" +
             std::string(name_of(std::get<2>(tested.param))) +
             (std::get<3>(tested.param) ? "_sparse" : "_dense");
    });

TEST_P(LearnerInvariants, HoldInEveryBatchOfThirty) {
  constexpr Index m = 48, initial = 10, nonzeros = 6, n = 20;
  const auto [named, coder, birth_init, sparse_samples] = GetParam();
  Options options = preset(named);
  options.atoms = initial;
  options.coding = test::with_count(coder, 4, AtomNorm::Raw);
  options.update.atom_nonzeros = nonzeros;
  options.birth.birth_init = birth_init;
  options.birth.max_births = 8;
  options.birth.max_atoms = 60;
  Learner<double> learner(m, options, 2);
  Random random(401, Purpose::SyntheticData);
  std::set<std::int64_t> ever;
  std::int64_t births = 0, deaths = 0, samples = 0;
  for (int batch = 1; batch <= 30; ++batch) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    const std::uint64_t domain = random.below(3);
    const Matrix<double> X = test::latent_samples(
        m, static_cast<Index>(domain) * 16, 16, n, domain, static_cast<std::uint64_t>(batch) * 10);
    const SparseMatrix<double> sparse = test::to_sparse<double>(X);
    const BatchSummary summary = learner.learn_batch(sparse_samples ? Batch<double>::sparse(sparse)
                                                                    : Batch<double>::dense(X));
    const Model<double>& model = learner.model();
    const Index k = model.dictionary.size();
    samples += n;
    births += static_cast<std::int64_t>(summary.born.size());
    deaths += static_cast<std::int64_t>(summary.died.size());

    // Sizes and counters.
    EXPECT_EQ(summary.batch, batch);
    EXPECT_EQ(summary.samples, n);
    EXPECT_EQ(summary.atoms, k);
    EXPECT_EQ(summary.atoms_alive, model.dictionary.alive());
    EXPECT_EQ(k, initial + births - deaths);
    EXPECT_LE(k, 60);
    EXPECT_LE(summary.born.size(), 8u);
    EXPECT_EQ(model.progress.births, births);
    EXPECT_EQ(model.progress.deaths, deaths);
    EXPECT_EQ(model.progress.batches, batch);
    EXPECT_EQ(model.progress.samples, samples);
    EXPECT_EQ(model.progress.next_id, initial + births);
    ASSERT_EQ(model.memory.A().rows(), k);
    ASSERT_EQ(model.memory.A().cols(), k);
    ASSERT_EQ(model.memory.B().rows(), m);
    ASSERT_EQ(model.memory.B().cols(), k);
    ASSERT_EQ(static_cast<Index>(model.dictionary.records().size()), k);

    // Identity: ids are unique for ever.
    std::set<std::int64_t> now;
    for (const AtomRecord& record : model.dictionary.records()) now.insert(record.id);
    EXPECT_EQ(static_cast<Index>(now.size()), k);
    if (batch == 1) {
      for (std::int64_t id = 0; id < initial; ++id) ever.insert(id);
    }
    for (const std::int64_t id : summary.born) {
      EXPECT_TRUE(ever.insert(id).second) << "id " << id << " was used before";
    }
    for (const std::int64_t id : now) EXPECT_TRUE(ever.count(id)) << "id " << id << " from nowhere";
    for (const AtomRecord& record : summary.died) {
      EXPECT_TRUE(ever.count(record.id));
      EXPECT_FALSE(now.count(record.id)) << "id " << record.id << " died and is still there";
    }
    for (const AtomRecord& record : model.dictionary.records()) {
      EXPECT_LE(record.birth_batch, batch);
      EXPECT_LE(record.last_use, batch);
      EXPECT_EQ(record.uses > 0, record.last_use > 0);
    }

    // Numbers.
    const Matrix<double>& A = model.memory.A();
    EXPECT_TRUE(A == A.transpose());
    EXPECT_TRUE(A.allFinite());
    EXPECT_TRUE(model.memory.B().allFinite());
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(A, Eigen::EigenvaluesOnly);
    EXPECT_GE(eigen.eigenvalues().minCoeff(), -1000 * test::epsilon<double>() * A.trace());
    const Matrix<double> D = model.dictionary.to_dense();
    EXPECT_TRUE(D.allFinite());
    EXPECT_LE(D.colwise().norm().maxCoeff(), 1 + 4 * test::epsilon<double>());
    EXPECT_EQ(model.dictionary.alive(), k) << "zero atoms leave where group_penalty > 0";
    if (named == Preset::Paper && k > 1) {  // the last atom may still be as it was drawn
      EXPECT_LE((D.array() != 0).colwise().count().maxCoeff(), nonzeros);
    }
    EXPECT_GE(summary.pearson_before, -1);
    EXPECT_LE(summary.pearson_before, 1);
    EXPECT_GE(summary.pearson_after, -1);
    EXPECT_LE(summary.pearson_after, 1);
  }
  EXPECT_GT(births, 0);
}

// PAPER_VS_CODE 3.3 and 3.4: the rate restarts with each call, whose first batch has no births.
TEST(LearnerCalls, ReleasedHasNoBirthInTheFirstBatchOfACall) {
  constexpr Index m = 48, n = 20;
  Options options = preset(Preset::Released);
  options.atoms = 10;
  options.coding = test::with_count(Coder::Threshold, 4, AtomNorm::Centered);
  options.update.atom_nonzeros = 6;
  Learner<double> learner(m, options);
  for (int call = 0; call < 3; ++call) {
    learner.begin_call();
    for (int batch = 0; batch < 3; ++batch) {
      const auto seed = static_cast<std::uint64_t>(10 * call + batch);
      const auto X = test::latent_samples(m, call * 16, 16, n, 1, 500 + seed);
      const BatchSummary summary = learner.learn_batch(Batch<double>::dense(X));
      if (batch == 0) {
        EXPECT_TRUE(summary.born.empty()) << "call " << call;
      } else if (batch == 1) {
        EXPECT_FALSE(summary.born.empty()) << "call " << call;
      }
    }
  }
}

TEST(LearnerCalls, PaperHasBirthsInItsFirstBatch) {
  Options options;
  options.atoms = 5;
  options.coding.code_nonzeros = 3;
  Learner<double> learner(48, options);
  const auto X = test::latent_samples(48, 0, 48, 20, 1, 600);
  const BatchSummary summary = learner.learn_batch(Batch<double>::dense(X));
  EXPECT_FALSE(summary.born.empty());
  EXPECT_LE(summary.birth_correlation, 0.9);
}

// A dense residual would die in the batch that it was born in: its largest few of a thousand
// entries have a norm below lambda_g (issue 2).
TEST(LearnerBirths, ResidualNewbornsSurviveTheirFirstUpdate) {
  constexpr Index m = 1000;
  Options options;
  options.atoms = 5;
  options.coding.code_nonzeros = 10;
  options.update.atom_nonzeros = 5;
  options.birth.birth_init = BirthInit::Residual;
  options.birth.max_births = 20;
  Learner<double> learner(m, options, 2);
  const Matrix<double> X = test::gaussian(m, 15, 601) * test::gaussian(15, 60, 602);
  const auto summaries = test::learn(learner, X, 60);
  ASSERT_FALSE(summaries[0].born.empty());
  std::set<std::int64_t> died;
  for (const AtomRecord& record : summaries[0].died) died.insert(record.id);
  std::size_t survivors = 0;
  for (const std::int64_t id : summaries[0].born) survivors += !died.count(id);
  EXPECT_GE(2 * survivors, summaries[0].born.size()) << "most live";
}

TEST(LearnerBirths, MaxAtomsIsAHardCap) {
  Options options;
  options.atoms = 10;
  options.coding.code_nonzeros = 3;
  options.birth.births = Births::Always;
  options.birth.max_births = 7;
  options.birth.max_atoms = 20;
  apply_method(options, Method::NodlPlus);
  Learner<double> learner(40, options);
  const auto summaries = test::learn(learner, test::latent_samples(40, 0, 40, 60, 1, 603), 20);
  EXPECT_EQ(summaries[0].atoms, 17);
  EXPECT_EQ(summaries[0].denied, 0);
  EXPECT_EQ(summaries[1].atoms, 20);
  EXPECT_EQ(summaries[1].denied, 4);
  EXPECT_EQ(summaries[2].atoms, 20);
  EXPECT_EQ(summaries[2].denied, 7);
}

}  // namespace
}  // namespace nodl
