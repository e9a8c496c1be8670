// Whole runs: `odl` against a plainly written twin, and as a corner of `nodl`, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/simple_odl.h"
#include "support/streams.h"

namespace nodl {
namespace {

Matrix<double> stream(Index m, Index samples) {
  Matrix<double> X(m, 2 * samples);
  X << test::latent_samples(m, 0, m, samples, 1, 301),
      test::latent_samples(m, 0, m, samples, 2, 303);
  return X;
}

Options odl_options(CodingOptions coding, Index atom_nonzeros) {
  Options options;
  options.coding = coding;
  options.update.atom_nonzeros = atom_nonzeros;
  options.update.max_sweeps = 6;
  options.update.tolerance = 1e-12;  // not where a rounding could decide on one sweep more
  apply_method(options, Method::Odl);
  return options;
}

void expect_twin(const Options& options, double tolerance) {
  const Index m = 30, k = 18, batch = 15;
  const Matrix<double> X = stream(m, 60);
  const Matrix<double> D0 = test::unit_columns(test::gaussian(m, k, 305));
  auto learner = test::learner_from<double>(D0, options);
  test::SimpleOdl twin(D0, learner.model().options);
  for (Index first = 0; first < X.cols(); first += batch) {
    const Matrix<double> part = X.middleCols(first, batch);
    learner.learn_batch(Batch<double>::dense(part));
    twin.learn_batch(part);
    ASSERT_LE((learner.model().memory.A() - twin.A).cwiseAbs().maxCoeff(),
              tolerance * twin.A.cwiseAbs().maxCoeff())
        << "after sample " << first + batch;
    ASSERT_LE((learner.model().memory.B() - twin.B).cwiseAbs().maxCoeff(),
              tolerance * twin.B.cwiseAbs().maxCoeff());
    ASSERT_LE((learner.model().dictionary.to_dense() - twin.D).cwiseAbs().maxCoeff(), tolerance);
  }
}

class OdlTwin : public ::testing::TestWithParam<AtomNorm> {};
INSTANTIATE_TEST_SUITE_P(,
                         OdlTwin,
                         ::testing::Values(AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST_P(OdlTwin, LarsWithDenseAtoms) {
  expect_twin(odl_options(test::with_count(Coder::Lars, 4, GetParam()), 30), 1e-9);
}

TEST_P(OdlTwin, LarsWithSparseAtoms) {
  expect_twin(odl_options(test::with_count(Coder::Lars, 4, GetParam()), 8), 1e-9);
}

TEST_P(OdlTwin, LarsWithAGivenLambda) {
  expect_twin(odl_options(test::with_lambda(Coder::Lars, 0.2, GetParam()), 8), 1e-9);
}

TEST_P(OdlTwin, CdWithAGivenLambda) {
  // cd stops at a duality gap: codes are exact to 1e-6 of lambda by promise; in practice far
  // better.
  expect_twin(odl_options(test::with_lambda(Coder::Cd, 0.2, GetParam()), 8), 1e-5);
}

TEST_P(OdlTwin, Omp) {
  expect_twin(odl_options(test::with_count(Coder::Omp, 3, GetParam()), 8), 1e-9);
}

TEST_P(OdlTwin, ReleasedPreset) {
  Options options = preset(Preset::Released);
  options.coding = test::with_count(Coder::Threshold, 5, GetParam());
  options.coding.lsqr_iterations = 7;  // near convergence (18 atoms) LSQR makes roundings grow
  options.update.atom_nonzeros = 8;
  options.update.tolerance = 1e-12;
  apply_method(options, Method::Odl);
  expect_twin(options, 1e-9);
}

TEST(Odl, IsNodlWithoutBirthsAndGroupPenaltyBitForBit) {
  const Matrix<double> X = stream(40, 100);
  for (const Preset named : {Preset::Paper, Preset::Released}) {
    Options odl = preset(named);
    odl.atoms = 25;
    odl.update.atom_nonzeros = 8;
    odl.coding.code_nonzeros = 5;
    Options nodl = odl;
    apply_method(odl, Method::Odl);
    apply_method(nodl, Method::Nodl);
    nodl.birth.max_births = 0;
    nodl.update.group_penalty = 0;
    Learner<double> a(40, odl), b(40, nodl);
    test::learn(a, X, 20);
    test::learn(b, X, 20);
    EXPECT_TRUE(test::same_bits(a.model(), b.model()));
    EXPECT_EQ(a.model().dictionary.size(), 25) << "keeps its size";
  }
}

TEST(Learner, ScoresThatNobodyAskedForChangeNothing) {
  const Matrix<double> X = stream(40, 100);
  for (const Method method : {Method::Nodl, Method::Odl, Method::Random}) {
    Options options;
    options.atoms = 25;
    apply_method(options, method);
    Learner<double> reports(40, options), is_silent(40, options);
    is_silent.report_scores(false);
    test::learn(reports, X, 20);
    for (const BatchSummary& summary : test::learn(is_silent, X, 20)) {
      EXPECT_TRUE(std::isnan(summary.pearson_after));
      // Births depend on it.
      EXPECT_EQ(std::isnan(summary.pearson_before), method != Method::Nodl);
    }
    EXPECT_TRUE(test::same_bits(reports.model(), is_silent.model()));
  }
}

TEST(Methods, RandomChangesNothing) {
  Options options;
  options.atoms = 15;
  apply_method(options, Method::Random);
  Learner<double> learner(30, options);
  const Matrix<double> X = stream(30, 60);
  test::learn(learner, X.leftCols(20), 20);
  const Matrix<double> before = learner.model().dictionary.to_dense();
  ASSERT_EQ(before.cols(), 15);
  for (const BatchSummary& summary : test::learn(learner, X.rightCols(100), 20)) {
    EXPECT_TRUE(summary.born.empty());
    EXPECT_TRUE(summary.died.empty());
    EXPECT_GT(summary.pearson_before, 0) << "it reports";
  }
  EXPECT_TRUE(learner.model().dictionary.to_dense() == before);
  // Initial atoms are drawn as in PAPER_VS_CODE 3.5: dense, centred, unit norm.
  for (Index j = 0; j < 15; ++j) {
    EXPECT_NEAR(before.col(j).norm(), 1, 1e-14);
    EXPECT_NEAR(before.col(j).sum(), 0, 1e-14);
    EXPECT_EQ((before.col(j).array() == 0).count(), 0);
  }
}

TEST(Methods, PlusNeverLosesAtomsAndMinusNeverGains) {
  const Matrix<double> X = stream(40, 100);
  for (const Method method : {Method::NodlPlus, Method::NodlMinus}) {
    Options options;
    options.atoms = 25;
    options.update.atom_nonzeros = 6;
    options.coding.code_nonzeros = 3;
    apply_method(options, method);
    Learner<double> learner(40, options);
    std::size_t born = 0, died = 0;
    for (const BatchSummary& summary : test::learn(learner, X, 20)) {
      born += summary.born.size();
      died += summary.died.size();
    }
    EXPECT_EQ(learner.model().dictionary.size(), static_cast<Index>(25 + born - died));
    EXPECT_EQ(born > 0, method == Method::NodlPlus) << name_of(method);
    EXPECT_EQ(died > 0, method == Method::NodlMinus) << name_of(method);
  }
}

// PAPER_VS_CODE 5.8: zero atoms are redrawn, the batch is coded again and put in the place of its
// first codes, and the update runs once more.
TEST(Methods, OdlStarRedrawsDeadAtoms) {
  const Matrix<double> X = stream(40, 20);
  Options odl;
  odl.atoms = 60;
  odl.coding = test::with_count(Coder::Lars, 1, AtomNorm::Raw);  // most of 60 atoms stay unused
  odl.update.atom_nonzeros = 6;
  Options star = odl;
  apply_method(odl, Method::Odl);
  apply_method(star, Method::OdlStar);
  Learner<double> without(40, odl), with(40, star);
  test::learn(without, X, 20);
  test::learn(with, X, 20);
  EXPECT_EQ(with.model().dictionary.size(), 60);
  EXPECT_LT(without.model().dictionary.alive(), 60);
  EXPECT_GT(with.model().dictionary.alive(), without.model().dictionary.alive());
  const Matrix<double>& A = with.model().memory.A();
  EXPECT_TRUE(A == A.transpose());
  EXPECT_GE(A.diagonal().minCoeff(), 0) << "what was taken out leaves nothing negative behind";
}

}  // namespace
}  // namespace nodl
