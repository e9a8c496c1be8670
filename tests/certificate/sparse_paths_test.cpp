// The short cuts for sparse atoms and sparse samples, against the plain twins: rows that no atom
// touches, ties, dense newborns behind sparse atoms.
#include <gtest/gtest.h>

#include <string>

#include "nodl/encoder.h"
#include "nodl/update.h"
#include "support/problems.h"
#include "support/simple_coders.h"
#include "support/simple_update.h"

namespace nodl {
namespace {

/// Atoms with few entries, all among the first rows; the last ones are dense.
Matrix<double> atoms_on_few_rows(Index m, Index rows, Index k, Index dense, std::uint64_t seed) {
  Matrix<double> D = Matrix<double>::Zero(m, k);
  D.topRows(rows) = test::sparse_gaussian(rows, k, 4, seed);
  D.rightCols(dense) = test::gaussian(m, dense, seed + 1);
  return test::unit_columns(D);
}

template <class Scalar>
Matrix<double> updated(const Matrix<double>& D,
                       Index dense,
                       const Matrix<double>& A,
                       const Matrix<double>& B,
                       const UpdateOptions& options,
                       int threads = 1) {
  auto dictionary = test::dictionary_of<Scalar>(D.cast<Scalar>(), D.cols() - dense);
  ThreadPool pool(threads);
  update_dictionary(dictionary, Memory(A, B), options, {}, pool);
  return dictionary.to_dense().template cast<double>();
}

template <class Scalar>
class SparseUpdate : public ::testing::Test {
 protected:
  static constexpr double kTolerance = 1e4 * test::epsilon<Scalar>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseUpdate, Scalars);

// Samples have entries in 12 of 700 rows each, so that most rows never enter an atom.
TYPED_TEST(SparseUpdate, EqualsThePlainTwinWhereMostRowsAreIdle) {
  const Index m = 700;
  for (const Index k : {5, 8, 43}) {
    for (const Index dense : {Index(0), Index(3), k}) {
      const Matrix<double> C = test::sparse_gaussian(k, 4 * k, 3, 101);
      const Matrix<double> X = test::sparse_gaussian(m, 4 * k, 12, 102);
      const Matrix<double> A = C * C.transpose(), B = X * C.transpose();
      const Matrix<double> D = atoms_on_few_rows(m, 90, k, dense, 103);
      for (const Index nonzeros : {1, 4, 30}) {
        for (const AtomThreshold rule : {AtomThreshold::Exact, AtomThreshold::Bisection}) {
          // In float32 a midpoint of Alg. 2 may fall on the other side of an entry.
          if (rule == AtomThreshold::Bisection && sizeof(TypeParam) == 4) continue;
          UpdateOptions options;
          options.atom_nonzeros = nonzeros;
          options.group_penalty = 0.02;
          options.atom_threshold = rule;
          options.max_sweeps = 5;
          options.tolerance = 0;
          SCOPED_TRACE("k = " + std::to_string(k) + ", dense " + std::to_string(dense) +
                       ", nonzeros " + std::to_string(nonzeros) + ", " +
                       std::string(name_of(rule)));
          const Matrix<double> twin = test::simple_update(D, A, B, options).D;
          const Matrix<double> one = updated<TypeParam>(D, dense, A, B, options);
          EXPECT_LE((one - twin).cwiseAbs().maxCoeff(), this->kTolerance);
          EXPECT_TRUE(updated<TypeParam>(D, dense, A, B, options, 2) == one);
          EXPECT_TRUE(updated<TypeParam>(D, dense, A, B, options, 5) == one);
        }
      }
    }
  }
}

// Atoms that nothing changes any more are passed over; whether a panel was made ready before that
// is known depends on the threads, its result does not.
TYPED_TEST(SparseUpdate, DoesNotDependOnTheNumberOfThreadsWhereAtomsComeToRest) {
  const Index m = 900, k = 120, samples = 3 * k;
  for (const Index dense : {0, 30}) {
    Matrix<double> C = test::sparse_gaussian(k, samples, 2, 111);
    C.bottomRows(9).setZero();  // atoms without a use
    const Matrix<double> X = test::sparse_gaussian(m, samples, 12, 112);
    const Matrix<double> A = C * C.transpose(), B = X * C.transpose();
    const Matrix<double> D = atoms_on_few_rows(m, 90, k, dense, 113);
    UpdateOptions options;
    options.atom_nonzeros = 6;
    options.group_penalty = 0.02;
    options.max_sweeps = 60;
    options.tolerance = 0;
    const Matrix<double> one = updated<TypeParam>(D, dense, A, B, options);
    for (const int threads : {2, 2, 2, 3}) {
      EXPECT_TRUE(updated<TypeParam>(D, dense, A, B, options, threads) == one)
          << "dense " << dense << ", threads " << threads;
    }
  }
}

// Codes with one atom each make A diagonal and u_j = b_j / a_jj: exact, with many equal entries.
TYPED_TEST(SparseUpdate, TiesAreDecidedAsInThePlainTwin) {
  const Index m = 400, k = 11;
  Matrix<double> B(m, k);
  for (Index j = 0; j < k; ++j) {
    for (Index r = 0; r < m; ++r) {
      B(r, j) = static_cast<double>((r * (j + 3)) % (j + 2)) * (r % 2 == 0 ? 1 : -1);
    }
  }
  const Matrix<double> A = 4 * Matrix<double>::Identity(k, k);
  const Matrix<double> D = atoms_on_few_rows(m, 50, k, 0, 104);
  for (const Index nonzeros : {1, 5, 60, 399}) {
    for (const AtomThreshold rule : {AtomThreshold::Exact, AtomThreshold::Bisection}) {
      UpdateOptions options;
      options.atom_nonzeros = nonzeros;
      options.group_penalty = 0;
      options.atom_threshold = rule;
      options.max_sweeps = 3;
      const Matrix<double> twin = test::simple_update(D, A, B, options).D;
      EXPECT_LE((updated<TypeParam>(D, 0, A, B, options) - twin).cwiseAbs().maxCoeff(),
                this->kTolerance)
          << "nonzeros " << nonzeros << ", " << name_of(rule);
    }
  }
}

// LSQR turns the rows that no sparse atom touches; its codes are those of the plain rows.
TEST(SparseLsqr, EqualsThePlainTwin) {
  const Index m = 300;
  for (const Index k : {9, 60}) {
    for (const Index dense : {Index(0), Index(1), Index(7), k - 1, k}) {
      for (const Index rows : {40, 298}) {
        const Matrix<double> D = atoms_on_few_rows(m, rows, k, dense, 105);
        Matrix<double> X = test::gaussian(m, 11, 106).array() + 0.7;
        X.col(3).head(rows).setZero();  // nothing that a sparse atom reaches
        X.col(4).tail(m - rows).setConstant(2);
        X.rightCols(4) = test::sparse_gaussian(m, 4, 9, 107);
        X.col(10).setZero();
        for (const AtomNorm norm : {AtomNorm::Raw, AtomNorm::Unit, AtomNorm::Centered}) {
          for (const Index count : {Index(5), k}) {
            SCOPED_TRACE("k " + std::to_string(k) + ", dense " + std::to_string(dense) + ", rows " +
                         std::to_string(rows) + ", " + std::string(name_of(norm)) + ", count " +
                         std::to_string(count));
            const CodingOptions options = test::with_count(Coder::Threshold, count, norm);
            const auto dictionary = test::dictionary_of<double>(D, k - dense);
            const CodingDictionary<double> coding(dictionary, norm);
            const Matrix<double> D1 = coding.to_dense();
            ThreadPool pool;
            const auto columns = test::to_sparse(X);
            const Matrix<double> from_dense =
                encode(coding, Batch<double>::dense(X), options, {}, pool).columns.to_dense();
            const Matrix<double> from_sparse =
                encode(coding, Batch<double>::sparse(columns), options, {}, pool)
                    .columns.to_dense();
            for (Index i = 0; i < X.cols(); ++i) {
              const auto twin = test::simple_threshold_code(D1, X.col(i), options, {});
              // The last steps of a solution that has converged are rounding.
              const double tolerance = 1e-8 * (1 + twin.code.norm());
              EXPECT_LE((from_dense.col(i) - twin.code).cwiseAbs().maxCoeff(), tolerance) << i;
              EXPECT_LE((from_sparse.col(i) - twin.code).cwiseAbs().maxCoeff(), tolerance) << i;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace nodl
