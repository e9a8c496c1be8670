// Non-negative atoms: steps 14-17 minimise  1/2 |d - u|^2 + lambda_j |d|_1 + lambda_g |d|_2  over
// |d|_2 <= 1, d >= 0. Certified by the conditions of that problem, by the plain twin on the
// positive part, and in whole runs.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "nodl/birth.h"
#include "nodl/update.h"
#include "support/problems.h"
#include "support/streams.h"
#include "update/atom_prox.h"

namespace nodl {
namespace {

// With r = u - d - lambda_j 1: where d = 0, |max(u - lambda_j, 0)| <= lambda_g; else r - lambda_g
// d/|d| - mu d = 0 on the support with mu >= 0 (and mu = 0 inside the ball), and r <= 0 off it.
double violation(const Vector<double>& u,
                 const Vector<double>& d,
                 double lambda_j,
                 double lambda_g) {
  if (d.isZero(0)) {
    const double pull = (u.array() - lambda_j).cwiseMax(0).matrix().norm();
    return std::max(0.0, pull - lambda_g);
  }
  double worst = std::max(0.0, d.norm() - 1);
  const Vector<double> r = (u.array() - lambda_j).matrix() - d - lambda_g * d / d.norm();
  const double mu = r.dot(d) / d.squaredNorm();
  worst = std::max({worst, -mu, d.norm() < 1 - 1e-9 ? std::abs(mu) : 0.0});
  for (Index i = 0; i < d.size(); ++i) {
    worst = std::max(worst, d[i] > 0 ? std::abs(r[i] - mu * d[i]) : r[i]);
    worst = std::max(worst, -d[i]);
  }
  return worst;
}

TEST(PositiveDict, AnAtomMeetsTheConditionsOfItsProblem) {
  UpdateOptions options;
  options.positive_dict = true;
  for (const double size : {0.05, 0.5, 3.0}) {
    for (const double penalty : {0.0, 0.03, 0.4}) {
      for (const Index nonzeros : {1, 5, 12, 40}) {
        const Vector<double> u = size * test::gaussian(40, 1, 31).col(0);
        Vector<double> positive = u.cwiseMax(0);
        const std::span<const double> values(positive.data(), 40);
        const double lambda_j =
            nonzeros < 40 ? threshold_by_selection<double>(values, nonzeros) : 0.0;
        options.group_penalty = penalty;
        options.atom_nonzeros = nonzeros;
        Vector<double> d = u;
        d *= sparsify_shrink_scale<double>({d.data(), 40}, options, {});
        EXPECT_LE(violation(u, d, lambda_j, penalty), 1e-12)
            << "size " << size << ", penalty " << penalty << ", nonzeros " << nonzeros;
        EXPECT_LE((d.array() != 0).count(), nonzeros);
      }
    }
  }
}

TEST(PositiveDict, DrawnAtomsAreNonNegativeAndOfUnitNorm) {
  Matrix<double> atoms =
      random_atoms<double>(20, 6, 3, Purpose::InitialAtom, 0, AtomSign::NonNegative);
  EXPECT_GE(atoms.minCoeff(), 0);
  atoms = test::gaussian(20, 6, 5);
  atoms.col(0) = -atoms.col(0).cwiseAbs();
  const Matrix<double> before = atoms;
  make_non_negative(atoms);
  EXPECT_GE(atoms.minCoeff(), 0);
  for (Index j = 0; j < 6; ++j) EXPECT_NEAR(atoms.col(j).norm(), 1, 1e-14);
  EXPECT_LE((atoms.col(0) + before.col(0).normalized()).norm(), 1e-14) << "the negative part";
}

template <class Scalar>
void expect_non_negative_run(BirthInit init, Index atom_nonzeros, bool sparse_samples) {
  Options options;
  options.atoms = 8;
  options.coding = test::with_count(Coder::Lars, 4, AtomNorm::Unit);
  options.coding.positive_code = true;
  options.birth.birth_init = init;
  options.birth.max_births = 6;
  options.birth.max_atoms = 40;
  options.update.atom_nonzeros = atom_nonzeros;
  options.update.positive_dict = true;
  Learner<Scalar> learner(24, options, 2);
  std::int64_t births = 0;
  for (std::uint64_t batch = 0; batch < 12; ++batch) {
    const Index first = batch % 3 == 2 ? 12 : 0;
    const Matrix<Scalar> X =
        test::latent_samples(24, first, 12, 20, first, batch).cwiseAbs().template cast<Scalar>();
    const SparseMatrix<Scalar> sparse = test::to_sparse<Scalar>(X);
    const BatchSummary summary = learner.learn_batch(sparse_samples ? Batch<Scalar>::sparse(sparse)
                                                                    : Batch<Scalar>::dense(X));
    births += static_cast<std::int64_t>(summary.born.size());
    const Matrix<Scalar> D = learner.model().dictionary.to_dense();
    ASSERT_TRUE(D.allFinite());
    EXPECT_GE(D.minCoeff(), 0) << "batch " << batch;
  }
  EXPECT_GT(births, 0);
  EXPECT_GT(learner.model().dictionary.alive(), 1);
}

TEST(PositiveDict, HoldsAfterEveryBatch) {
  for (const BirthInit init : {BirthInit::Random, BirthInit::Sample, BirthInit::Residual}) {
    for (const Index nonzeros : {6, 24}) {
      SCOPED_TRACE(std::string(name_of(init)) + ", " + std::to_string(nonzeros));
      expect_non_negative_run<double>(init, nonzeros, false);
      expect_non_negative_run<float>(init, nonzeros, true);
    }
  }
}

TEST(PositiveDict, SparseAndDenseUpdatesEqualThePlainTwin) {
  const Index m = 40, k = 37;
  const Matrix<double> C = test::sparse_gaussian(k, 120, 6, 51).cwiseAbs();
  const Matrix<double> X = test::gaussian(m, k, 52) * C + 0.3 * test::gaussian(m, 120, 53);
  const Matrix<double> A = C * C.transpose(), B = X * C.transpose();
  const Matrix<double> start = test::unit_columns(test::gaussian(m, k, 54).cwiseAbs());
  for (const Index nonzeros : {5, 17, 40}) {
    UpdateOptions options;
    options.atom_nonzeros = nonzeros;
    options.group_penalty = 0.05;
    options.max_sweeps = 4;
    options.tolerance = 0;
    options.positive_dict = true;
    Matrix<double> twin = start;
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (Index j = 0; j < k; ++j) {
        Vector<double> u = twin.col(j) + (B.col(j) - twin * A.col(j)) / A(j, j);
        const double scale =
            sparsify_shrink_scale<double>({u.data(), static_cast<std::size_t>(m)}, options, {});
        twin.col(j) = scale * u;
      }
    }
    auto dictionary = test::dictionary_of<double>(start, k / 2);
    ThreadPool pool;
    update_dictionary(dictionary, Memory(A, B), options, {}, pool);
    EXPECT_LE((dictionary.to_dense() - twin).cwiseAbs().maxCoeff(), 1e4 * test::epsilon<double>())
        << nonzeros;
  }
}

}  // namespace
}  // namespace nodl
