// Promise 2: the same model whatever the number of threads; and a sparse batch against its dense
// copy.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "support/streams.h"

namespace nodl {
namespace {

using Setting = std::tuple<Coder, AtomNorm>;

class SameBits : public ::testing::TestWithParam<Setting> {
 protected:
  static Options options(Index atom_nonzeros, bool refit) {
    Options o;
    o.atoms = 30;
    o.coding = test::with_count(std::get<0>(GetParam()), 5, std::get<1>(GetParam()));
    o.coding.refit = refit;
    o.update.atom_nonzeros = atom_nonzeros;
    o.birth.max_births = 12;
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(
    ,
    SameBits,
    ::testing::Combine(::testing::Values(Coder::Lars, Coder::Cd, Coder::Omp, Coder::Threshold),
                       ::testing::Values(AtomNorm::Raw, AtomNorm::Centered)),
    [](const ::testing::TestParamInfo<Setting>& tested) {
      return std::string(name_of(std::get<0>(tested.param))) + "_" +
             std::string(name_of(std::get<1>(tested.param)));
    });

template <class Scalar>
Model<Scalar> learned(const Options& options,
                      const Matrix<double>& X,
                      bool sparse_samples,
                      int threads) {
  Learner<Scalar> learner(X.rows(), options, threads);
  const Matrix<Scalar> samples = X.cast<Scalar>();
  const SparseMatrix<Scalar> sparse = test::to_sparse<Scalar>(samples);
  const auto all = sparse_samples ? Batch<Scalar>::sparse(sparse) : Batch<Scalar>::dense(samples);
  for (Index first = 0; first < X.cols(); first += 37) {  // batches that no block size divides
    learner.learn_batch(all.middle(first, std::min<Index>(37, X.cols() - first)));
  }
  return learner.model();
}

TEST_P(SameBits, ForOneTwoAndThreeThreads) {
  Matrix<double> X(64, 148);
  X << test::latent_samples(64, 0, 32, 74, 1, 701), test::latent_samples(64, 32, 32, 74, 2, 703);
  for (const Index atom_nonzeros : {8, 64}) {
    for (const BirthInit birth_init : {BirthInit::Random, BirthInit::Residual}) {
      for (const bool sparse_samples : {false, true}) {
        SCOPED_TRACE("atom_nonzeros " + std::to_string(atom_nonzeros) + ", births " +
                     std::string(name_of(birth_init)) + (sparse_samples ? ", sparse" : ", dense"));
        Options o = options(atom_nonzeros, birth_init == BirthInit::Residual);
        o.birth.birth_init = birth_init;
        const Model<double> one = learned<double>(o, X, sparse_samples, 1);
        EXPECT_TRUE(test::same_bits(one, learned<double>(o, X, sparse_samples, 1)));
        EXPECT_TRUE(test::same_bits(one, learned<double>(o, X, sparse_samples, 2)));
        EXPECT_TRUE(test::same_bits(one, learned<double>(o, X, sparse_samples, 3)));
        const Model<float> narrow = learned<float>(o, X, sparse_samples, 1);
        EXPECT_TRUE(test::same_bits(narrow, learned<float>(o, X, sparse_samples, 3)));
        EXPECT_GT(one.progress.births, 0);
      }
    }
  }
}

// Issue 2, 7: codes agree to 1e-9 for a given dictionary, dictionaries to 1e-9 after one batch.
TEST_P(SameBits, NearlyForASparseBatchAndItsDenseCopy) {
  const Matrix<double> X = test::sparse_gaussian(80, 40, 9, 705);
  const SparseMatrix<double> sparse = test::to_sparse<double>(X);
  for (const Index atom_nonzeros : {8, 80}) {
    for (const bool refit : {false, true}) {
      SCOPED_TRACE("atom_nonzeros " + std::to_string(atom_nonzeros) + (refit ? ", refit" : ""));
      const Options o = options(atom_nonzeros, refit);
      const Matrix<double> D0 = test::unit_columns(test::gaussian(80, 30, 706));
      auto a = test::learner_from<double>(D0, o);
      auto b = test::learner_from<double>(D0, o);
      const Matrix<double> codes_a = a.encode(Batch<double>::dense(X)).columns.to_dense();
      const Matrix<double> codes_b = b.encode(Batch<double>::sparse(sparse)).columns.to_dense();
      EXPECT_LE((codes_a - codes_b).cwiseAbs().maxCoeff(), 1e-9);
      const BatchSummary summary_a = a.learn_batch(Batch<double>::dense(X));
      const BatchSummary summary_b = b.learn_batch(Batch<double>::sparse(sparse));
      EXPECT_EQ(summary_a.born, summary_b.born);
      EXPECT_EQ(summary_a.died, summary_b.died);
      ASSERT_EQ(a.model().dictionary.size(), b.model().dictionary.size());
      EXPECT_LE(
          (a.model().dictionary.to_dense() - b.model().dictionary.to_dense()).cwiseAbs().maxCoeff(),
          1e-9);
      EXPECT_NEAR(summary_a.pearson_before, summary_b.pearson_before, 1e-9);
      EXPECT_NEAR(summary_a.pearson_after, summary_b.pearson_after, 1e-9);
    }
  }
}

// The last batch of a stream may have any size, and a batch may hold one sample.
TEST_P(SameBits, SurviveBatchesOfOneSample) {
  const Matrix<double> X = test::latent_samples(64, 0, 64, 6, 1, 707);
  Learner<double> learner(64, options(8, false));
  for (const BatchSummary& summary : test::learn(learner, X, 1)) EXPECT_EQ(summary.samples, 1);
  EXPECT_TRUE(learner.model().dictionary.to_dense().allFinite());
}

// Going on from a model is going on: no state hides in the learner.
TEST_P(SameBits, ForALearnerThatIsRebuiltFromItsModel) {
  const Matrix<double> X = test::latent_samples(64, 0, 64, 80, 1, 709);
  const Options o = options(8, false);
  Learner<double> whole(64, o);
  test::learn(whole, X, 20);
  Learner<double> first(64, o);
  test::learn(first, X.leftCols(40), 20);
  Learner<double> second(first.model());
  test::learn(second, X.rightCols(40), 20);
  EXPECT_TRUE(test::same_bits(whole.model(), second.model()));
}

}  // namespace
}  // namespace nodl
