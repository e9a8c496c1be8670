// Streams with disjoint domains.
#include "nodl/synthetic.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "nodl/error.h"

namespace nodl {
namespace {

SyntheticOptions options(SyntheticKind kind) {
  SyntheticOptions o;
  o.kind = kind;
  o.dimension = 101;  // not a multiple of the domains
  o.nonzeros = 12;
  o.domains = 3;
  return o;
}

constexpr SyntheticKind kKinds[] = {SyntheticKind::Paper, SyntheticKind::Latent};

TEST(Synthetic, DomainsShareNoCoordinateAndLeaveNoneOut) {
  for (const SyntheticKind kind : kKinds) {
    Eigen::ArrayXi owners = Eigen::ArrayXi::Zero(101);
    for (Index domain = 0; domain < 3; ++domain) {
      const Matrix<double> x = synthetic_samples(options(kind), domain, Split::Train, 0, 300);
      owners += (x.array() != 0).rowwise().any().cast<int>();
    }
    EXPECT_TRUE((owners == 1).all());
  }
}

TEST(Synthetic, PaperSamplesAreOnes) {
  const Matrix<double> x = synthetic_samples(options(SyntheticKind::Paper), 1, Split::Test, 5, 50);
  EXPECT_TRUE((x.array() == 0 || x.array() == 1).all());
  EXPECT_TRUE((x.colwise().sum().array() == 12).all());
}

TEST(Synthetic, ASampleDependsOnItsNumberAlone) {
  for (const SyntheticKind kind : kKinds) {
    const Matrix<double> all = synthetic_samples(options(kind), 2, Split::Train, 0, 40);
    EXPECT_EQ(all.middleCols(10, 5), synthetic_samples(options(kind), 2, Split::Train, 10, 5));
    EXPECT_EQ(synthetic_samples(options(kind), 2, Split::Train, 0, 0).cols(), 0);
  }
}

TEST(Synthetic, TestSamplesAreNotTrainingSamples) {
  for (const SyntheticKind kind : kKinds) {
    const Matrix<double> train = synthetic_samples(options(kind), 0, Split::Train, 0, 40);
    const Matrix<double> test = synthetic_samples(options(kind), 0, Split::Test, 0, 40);
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < 40; ++j) ASSERT_NE(train.col(i), test.col(j));
    }
  }
}

TEST(Synthetic, HiddenAtomsAreSparsePositiveUnitVectorsOfTheirDomain) {
  const SyntheticOptions o = options(SyntheticKind::Latent);
  const Matrix<double> atoms = synthetic_atoms(o, 1);
  ASSERT_EQ(atoms.cols(), o.atoms);
  EXPECT_TRUE((atoms.array() >= 0).all());
  EXPECT_TRUE(((atoms.array() != 0).colwise().count() == 2).all());  // round(12 / 5)
  EXPECT_LT((atoms.colwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_TRUE((atoms.topRows(33).array() == 0).all());
  EXPECT_TRUE((atoms.bottomRows(34).array() == 0).all());
}

TEST(Synthetic, WithoutNoiseLatentSamplesCombineAFewAtoms) {
  SyntheticOptions o = options(SyntheticKind::Latent);
  o.dimension = 600;
  o.nonzeros = 50;
  o.noise = 0;
  const Matrix<double> D = synthetic_atoms(o, 0);
  const Matrix<double> x = synthetic_samples(o, 0, Split::Test, 0, 30);
  const Matrix<double> gram = D.transpose() * D;
  const Matrix<double> codes = gram.ldlt().solve(D.transpose() * x);
  EXPECT_LT((D * codes - x).norm(), 1e-9 * x.norm());
  EXPECT_TRUE(((codes.array().abs() > 1e-9).colwise().count() == o.atoms_per_sample).all());
  EXPECT_GT(codes.minCoeff(), -1e-9);
}

TEST(Synthetic, WrongOptionsAreRefusedByName) {
  const auto refused = [](auto change, Index domain = 0) {
    SyntheticOptions o = options(SyntheticKind::Latent);
    change(o);
    EXPECT_THROW(synthetic_samples(o, domain, Split::Train, 0, 1), InvalidOptions);
  };
  refused([](SyntheticOptions& o) { o.nonzeros = 34; });
  refused([](SyntheticOptions& o) { o.nonzeros = 0; });
  refused([](SyntheticOptions& o) { o.dimension = 2; });
  refused([](SyntheticOptions& o) { o.domains = 0; });
  refused([](SyntheticOptions& o) { o.atoms = 0; });
  refused([](SyntheticOptions& o) { o.atoms_per_sample = 41; });
  refused([](SyntheticOptions&) {}, 3);
  refused([](SyntheticOptions&) {}, -1);
}

}  // namespace
}  // namespace nodl
