// Sec. 4.2 with preset `released`, mean of 3 seeds, inside the bands that the authors' own code
// gives (AUTHORS_RESULTS 9; where it has no row, the mean of its runs +- (2 seed deviations +
// 0.01)). On the second domain the deviation of NODL+ is that of all 14 rows of NODL and NODL+,
// which are the same algorithm here (no used atom dies): 0.010. A row's own, of three runs, is
// anything from 0.001 to 0.017; with 16 seeds ours is 0.010 for 25 atoms, around a mean of 0.392 to
// 0.397.
#include <gtest/gtest.h>

#include <ostream>

#include "nodl/nodl.h"
#include "nodl/synthetic.h"
#include "support/bands.h"
#include "support/sanitized.h"

namespace nodl::test {
namespace {

struct Outcome {
  double alive = 0;
  double first = 0;  // Pearson on test samples of the first domain
  double second = 0;
  double second_mse = 0;
};

Outcome run(Method method, Index atoms, Index atom_nonzeros, AtomNorm norm, std::uint64_t seed) {
  Options options = preset(Preset::Released);
  options.atoms = atoms;
  options.seed = seed;
  options.batch_size = 20;
  options.coding.code_nonzeros = 51;
  options.coding.atom_norm = norm;
  options.update.atom_nonzeros = atom_nonzeros;
  apply_method(options, method);
  SyntheticOptions data;
  data.seed = seed;
  Learner<double> learner(1024, options);
  for (Index domain = 0; domain < 2; ++domain) {
    const Matrix<double> x = synthetic_samples(data, domain, Split::Train, 0, 100);
    learner.begin_call();
    for (Index i = 0; i < 100; i += 20) {
      learner.learn_batch(Batch<double>::dense(x.col(i).data(), 1024, 20, 1024));
    }
  }
  Outcome outcome;
  outcome.alive = static_cast<double>(learner.model().dictionary.alive());
  const CodingDictionary<double> dictionary(learner.model().dictionary, norm);
  for (Index domain = 0; domain < 2; ++domain) {
    const Matrix<double> x = synthetic_samples(data, domain, Split::Test, 0, 100);
    const Batch<double> batch = Batch<double>::dense(x);
    const Codes<double> codes = learner.encode(batch);
    Evaluator evaluator;
    evaluator.add(score(dictionary, batch, codes, Correlations::Pearson, learner.pool()),
                  1024,
                  codes.columns.nonzeros());
    (domain == 0 ? outcome.first : outcome.second) = evaluator.result().pearson;
    outcome.second_mse = evaluator.result().mse;
  }
  return outcome;
}

Outcome mean_of_three(Method method,
                      Index atoms,
                      Index atom_nonzeros = 51,
                      AtomNorm norm = AtomNorm::Centered) {
  Outcome mean;
  for (Index seed = 1; seed <= shortened(3, 1); ++seed) {
    const Outcome one = run(method, atoms, atom_nonzeros, norm, static_cast<std::uint64_t>(seed));
    mean.alive += one.alive / 3;
    mean.first += one.first / 3;
    mean.second += one.second / 3;
    mean.second_mse += one.second_mse / 3;
  }
  return mean;
}

struct Expectation {
  const char* name;
  Method method;
  Index atoms;
  Index atom_nonzeros;
  Band alive, first, second;
};

std::ostream& operator<<(std::ostream& out, const Expectation& expected) {
  return out << expected.name;
}

class ReleasedSynthetic : public testing::TestWithParam<Expectation> {};

TEST_P(ReleasedSynthetic, LiesInTheAuthorsBand) {
  const Expectation& expected = GetParam();
  const Outcome outcome = mean_of_three(expected.method, expected.atoms, expected.atom_nonzeros);
  NODL_ONLY_RUN_UNDER_SANITIZERS();
  EXPECT_IN_BAND(outcome.alive, expected.alive);
  EXPECT_IN_BAND(outcome.first, expected.first);
  EXPECT_IN_BAND(outcome.second, expected.second);
}

constexpr Index kDense = 1024;
INSTANTIATE_TEST_SUITE_P(
    Figure5,
    ReleasedSynthetic,
    testing::Values(
        Expectation{"odl_100", Method::Odl, 100, 51, {100, 100}, {0.43, 0.44}, {0.16, 0.175}},
        Expectation{"odl_250", Method::Odl, 250, 51, {243, 250}, {0.46, 0.49}, {0.13, 0.18}},
        Expectation{"nodl_25", Method::Nodl, 25, 51, {290, 320}, {0.44, 0.46}, {0.37, 0.42}},
        Expectation{"nodl_100", Method::Nodl, 100, 51, {330, 350}, {0.455, 0.48}, {0.375, 0.42}},
        Expectation{"nodl_500", Method::Nodl, 500, 51, {580, 605}, {0.40, 0.46}, {0.405, 0.43}},
        Expectation{
            "nodl_plus_25", Method::NodlPlus, 25, 51, {305, 313}, {0.442, 0.466}, {0.35, 0.41}},
        Expectation{
            "nodl_plus_100", Method::NodlPlus, 100, 51, {325, 357}, {0.455, 0.479}, {0.36, 0.42}},
        Expectation{"nodl_minus_100",
                    Method::NodlMinus,
                    100,
                    51,
                    {100, 100},
                    {0.42, 0.444},
                    {0.149, 0.197}},
        Expectation{"nodl_minus_500",
                    Method::NodlMinus,
                    500,
                    51,
                    {433, 449},
                    {0.421, 0.445},
                    {0.142, 0.226}},
        Expectation{
            "random_100", Method::Random, 100, 51, {100, 100}, {0.275, 0.29}, {0.275, 0.29}},
        Expectation{
            "random_500", Method::Random, 500, 51, {500, 500}, {0.30, 0.318}, {0.30, 0.318}},
        Expectation{
            "odl_dense_25", Method::Odl, 25, kDense, {25, 25}, {0.29, 0.314}, {0.208, 0.232}},
        Expectation{
            "odl_dense_100", Method::Odl, 100, kDense, {100, 100}, {0.20, 0.272}, {0.181, 0.213}},
        Expectation{
            "odl_dense_500", Method::Odl, 500, kDense, {436, 448}, {0.251, 0.287}, {0.22, 0.292}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReleasedSynthetic, WithoutNormalisationOdlHasNoSupportInTheSecondHalf) {
  const Outcome outcome = mean_of_three(Method::Odl, 100, 51, AtomNorm::Raw);
  NODL_ONLY_RUN_UNDER_SANITIZERS();
  EXPECT_EQ(outcome.second, 0);
  EXPECT_NEAR(outcome.second_mse, 51.0 / 1024, 1e-12);
}

}  // namespace
}  // namespace nodl::test
