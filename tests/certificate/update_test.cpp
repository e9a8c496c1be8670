// Steps 12-19 against a twin that is written as the paper prints them, and the objective that they
// really minimise.
#include "nodl/update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/problems.h"
#include "support/simple_update.h"

namespace nodl {
namespace {

// Memories as a stream would leave them: codes with a few nonzeros, samples with structure.
struct Memories {
  Matrix<double> A, B;
  Memories(Index m, Index k, std::uint64_t seed, Index samples = 120) {
    const Matrix<double> C = test::sparse_gaussian(k, samples, std::min<Index>(k, 6), seed);
    const Matrix<double> X = test::gaussian(m, k, seed + 1) * C / std::sqrt(m) +
                             0.3 * test::gaussian(m, samples, seed + 2);
    A = C * C.transpose();
    A = (0.5 * (A + A.transpose())).eval();
    B = X * C.transpose();
  }
};

UpdateOptions base_options(Index atom_nonzeros) {
  UpdateOptions options;
  options.atom_nonzeros = atom_nonzeros;
  options.group_penalty = 0.05;
  options.max_sweeps = 5;
  options.tolerance = 0;
  return options;
}

template <class Scalar>
Matrix<double> updated(const Matrix<double>& D,
                       Index sparse_count,
                       const Memories& memories,
                       const UpdateOptions& options,
                       int threads = 1) {
  auto dictionary = test::dictionary_of<Scalar>(D.cast<Scalar>(), sparse_count);
  ThreadPool pool(threads);
  update_dictionary(dictionary, Memory(memories.A, memories.B), options, {}, pool);
  return dictionary.to_dense().template cast<double>();
}

template <class Scalar>
class Update : public ::testing::Test {
 protected:
  // Five sweeps; a rounding of u_j is amplified by |a_lj / a_jj| in each.
  static constexpr double kTolerance = 1e4 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Update, Scalars);

// 150 atoms: more than one panel, whatever its width, and not a multiple of any.
TYPED_TEST(Update, DenseAtomsEqualThePlainTwin) {
  for (const Index k : {1, 2, 37, 150}) {
    const Memories memories(30, k, 71, 3 * k + 20);
    const Matrix<double> D = test::unit_columns(test::gaussian(30, k, 72));
    for (const double penalty : {0.0, 0.05}) {
      UpdateOptions options = base_options(30);
      options.group_penalty = penalty;
      const Matrix<double> twin = test::simple_update(D, memories.A, memories.B, options).D;
      EXPECT_LE((updated<TypeParam>(D, 0, memories, options) - twin).cwiseAbs().maxCoeff(),
                this->kTolerance)
          << "k = " << k << ", penalty " << penalty;
    }
  }
}

// Columns a power of two apart; more numbers than one thread reads for itself, with a last strip
// of rows that is not full, and in one sweep, which keeps only some panels of A.
TYPED_TEST(Update, LongDenseAtomsEqualThePlainTwin) {
  for (const Index m : {128, 1001}) {
    const Index k = 150;
    const Memories memories(m, k, 71, 3 * k + 20);
    const Matrix<double> D = test::unit_columns(test::gaussian(m, k, 72));
    for (const Index sweeps : {1, 3}) {
      UpdateOptions options = base_options(m);
      options.max_sweeps = sweeps;
      const Matrix<double> twin = test::simple_update(D, memories.A, memories.B, options).D;
      const auto one = updated<TypeParam>(D, 0, memories, options);
      EXPECT_LE((one - twin).cwiseAbs().maxCoeff(), this->kTolerance)
          << "m = " << m << ", sweeps " << sweeps;
      for (const int threads : {2, 5}) {
        EXPECT_TRUE(updated<TypeParam>(D, 0, memories, options, threads) == one)
            << "m = " << m << ", sweeps " << sweeps << ", threads " << threads;
      }
    }
  }
}

TYPED_TEST(Update, SparseAtomsEqualThePlainTwin) {
  for (const Index k : {1, 2, 37, 150}) {
    const Memories memories(60, k, 73, 3 * k + 20);
    Matrix<double> D = test::unit_columns(test::sparse_gaussian(60, k, 7, 74));
    // Those drawn since the last update are dense.
    D.rightCols(k / 3) = test::unit_columns(test::gaussian(60, k / 3, 75));
    for (const Index nonzeros : {1, 7, 59}) {
      for (const AtomThreshold rule : {AtomThreshold::Exact, AtomThreshold::Bisection}) {
        UpdateOptions options = base_options(nonzeros);
        options.atom_threshold = rule;
        const Matrix<double> twin = test::simple_update(D, memories.A, memories.B, options).D;
        const Matrix<double> result = updated<TypeParam>(D, k - k / 3, memories, options);
        // In float32 a midpoint of Alg. 2 may fall on the other side of an entry.
        if (rule == AtomThreshold::Bisection && sizeof(TypeParam) == 4) continue;
        EXPECT_LE((result - twin).cwiseAbs().maxCoeff(), this->kTolerance)
            << "k = " << k << ", nonzeros " << nonzeros << ", " << name_of(rule);
      }
    }
  }
}

TYPED_TEST(Update, StoresAtomsSparseOnlyWhereTheyAreToBeSparse) {
  const Memories memories(20, 12, 76);
  const Matrix<TypeParam> D =
      test::unit_columns(test::gaussian(20, 12, 77)).template cast<TypeParam>();
  ThreadPool pool;
  for (const Index sparse_count : {0, 5, 12}) {
    auto dictionary = test::dictionary_of<TypeParam>(D, sparse_count);
    update_dictionary(dictionary, Memory(memories.A, memories.B), base_options(4), {}, pool);
    EXPECT_EQ(dictionary.sparse_size(), 12);
    EXPECT_LE(dictionary.sparse_block().nonzeros(), 4 * 12) << "no zeros are stored";
    EXPECT_EQ(dictionary.records()[11].id, 11);
    update_dictionary(dictionary, Memory(memories.A, memories.B), base_options(20), {}, pool);
    EXPECT_EQ(dictionary.sparse_size(), 0) << "atom_nonzeros = m: all dense again";
    EXPECT_EQ(dictionary.records()[11].id, 11);
  }
}

TYPED_TEST(Update, ExactSelectionGivesTheExactCount) {
  const Memories memories(60, 40, 78);
  const Matrix<double> D = test::unit_columns(test::gaussian(60, 40, 79));
  UpdateOptions options = base_options(9);
  options.group_penalty = 0;
  const Matrix<double> exact = updated<TypeParam>(D, 0, memories, options);
  options.atom_threshold = AtomThreshold::Bisection;
  const Matrix<double> bisected = updated<TypeParam>(D, 0, memories, options);
  for (Index j = 0; j < 40; ++j) {
    EXPECT_EQ((exact.col(j).array() != 0).count(), 9);
    EXPECT_NEAR((bisected.col(j).array() != 0).count(), 9, 1);  // margin of Alg. 2
  }
}

TYPED_TEST(Update, NormsNeverExceedOne) {
  for (const Index nonzeros : {5, 40}) {
    for (const double penalty : {0.0, 0.05}) {
      const Memories memories(40, 30, 80);
      const Matrix<double> D = 5 * test::gaussian(40, 30, 81);  // may start outside of the ball
      UpdateOptions options = base_options(nonzeros);
      options.group_penalty = penalty;
      const Matrix<double> result = updated<TypeParam>(D, 0, memories, options);
      EXPECT_LE(result.colwise().norm().maxCoeff(), 1 + 4 * test::epsilon<TypeParam>());
    }
  }
}

// With atom_nonzeros = m all lambda_j are 0: the weights are fixed, and every column step minimises
// its part of the objective exactly.
TYPED_TEST(Update, ObjectiveNeverRisesInASweep) {
  for (const double penalty : {0.0, 0.03, 0.3}) {
    for (const Index k : {10, 150}) {
      const Memories memories(30, k, 82, 3 * k);
      UpdateOptions options = base_options(30);
      options.group_penalty = penalty;
      options.max_sweeps = 1;
      auto dictionary = test::dictionary_of<TypeParam>(
          test::unit_columns(test::gaussian(30, k, 83)).cast<TypeParam>());
      const Memory memory(memories.A, memories.B);
      ThreadPool pool;
      const Vector<double> none = Vector<double>::Zero(k);
      const auto objective = [&] {
        return test::update_objective(
            dictionary.to_dense().template cast<double>(), memories.A, memories.B, none, penalty);
      };
      double before = objective();
      const double first = before;
      for (int sweep = 0; sweep < 40; ++sweep) {
        update_dictionary(dictionary, memory, options, {}, pool);
        const double after = objective();
        // Each entry of D is rounded once: errors of eps |D| |B - D A|.
        ASSERT_LE(after, before + 100 * test::epsilon<TypeParam>() * std::abs(first))
            << "sweep " << sweep << ", penalty " << penalty;
        before = after;
      }
      EXPECT_LT(before, first);
    }
  }
}

// At a fixed point every column solves its subproblem; here checked by its subgradient.
TEST(UpdateDouble, ConvergesToColumnsThatAreOptimal) {
  const Memories memories(30, 12, 84);
  const double penalty = 0.1;
  UpdateOptions options = base_options(30);
  options.group_penalty = penalty;
  options.max_sweeps = 2000;
  options.tolerance = 1e-13;
  auto dictionary = test::dictionary_of<double>(test::unit_columns(test::gaussian(30, 12, 85)));
  ThreadPool pool;
  const UpdateResult result =
      update_dictionary(dictionary, Memory(memories.A, memories.B), options, {}, pool);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.sweeps, 2000);
  EXPECT_LT(result.change, 1e-13);
  const Matrix<double> D = dictionary.to_dense();
  const Matrix<double> U = memories.B - D * memories.A;  // a_jj (u_j - d_j)
  for (Index j = 0; j < 12; ++j) {
    const double a = memories.A(j, j);
    const double length = D.col(j).norm();
    if (length == 0) {
      EXPECT_LE(U.col(j).norm() / a, penalty + 1e-10);
    } else {
      // u - d = (lambda_g / |d| + mu) d with mu >= 0, and mu = 0 inside the ball.
      const double factor = U.col(j).dot(D.col(j)) / (a * length * length);
      EXPECT_LE((U.col(j) / a - factor * D.col(j)).norm(), 1e-10) << j;
      if (length < 1 - 1e-12) {
        EXPECT_NEAR(factor, penalty / length, 1e-10) << j;
      } else {
        EXPECT_GE(factor, penalty - 1e-10) << j;
      }
    }
  }
}

TYPED_TEST(Update, SweepsUntilTheToleranceOrTheCap) {
  const Memories memories(30, 20, 86);
  const Matrix<double> D = test::unit_columns(test::gaussian(30, 20, 87));
  ThreadPool pool;
  for (const Index nonzeros : {5, 30}) {
    UpdateOptions options = base_options(nonzeros);
    options.max_sweeps = 7;
    auto dictionary = test::dictionary_of<TypeParam>(D.cast<TypeParam>());
    const Memory memory(memories.A, memories.B);
    UpdateResult result = update_dictionary(dictionary, memory, options, {}, pool);
    EXPECT_EQ(result.sweeps, 7);
    EXPECT_FALSE(result.converged);
    EXPECT_GT(result.change, 0);
    options.max_sweeps = 100000;
    options.tolerance = 1e-3;
    dictionary = test::dictionary_of<TypeParam>(D.cast<TypeParam>());
    result = update_dictionary(dictionary, memory, options, {}, pool);
    EXPECT_TRUE(result.converged);
    EXPECT_LT(result.change, 1e-3);
    // Its last sweep is the first with a change below the tolerance.
    const test::SimpleUpdate twin = test::simple_update(D, memories.A, memories.B, options);
    EXPECT_NEAR(static_cast<double>(result.sweeps),
                static_cast<double>(twin.sweeps),
                sizeof(TypeParam) == 8 ? 0 : 2);
  }
}

TYPED_TEST(Update, DoesNotDependOnTheNumberOfThreads) {
  for (const Index nonzeros : {5, 40}) {
    const Memories memories(40, 100, 88, 300);
    const Matrix<double> D = test::unit_columns(test::gaussian(40, 100, 89));
    const auto one = updated<TypeParam>(D, 0, memories, base_options(nonzeros), 1);
    EXPECT_TRUE(updated<TypeParam>(D, 0, memories, base_options(nonzeros), 2) == one);
    EXPECT_TRUE(updated<TypeParam>(D, 0, memories, base_options(nonzeros), 3) == one);
  }
}

TYPED_TEST(Update, AcceptsAnEmptyDictionary) {
  Dictionary<TypeParam> dictionary(10);
  ThreadPool pool;
  for (const Index nonzeros : {3, 10}) {
    update_dictionary(dictionary, Memory(10, 0), base_options(nonzeros), {}, pool);
    EXPECT_EQ(dictionary.size(), 0);
  }
}

}  // namespace
}  // namespace nodl
