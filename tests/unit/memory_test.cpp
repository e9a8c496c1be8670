// The memories A and B: step 8 (growth), step 11 (accumulation), forgetting, and removal.
#include "nodl/memory.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "support/problems.h"

namespace nodl {
namespace {

template <class Scalar>
class MemoryTest : public ::testing::Test {
 protected:
  static constexpr Index m = 20, k = 7, n = 9;

  static Matrix<double> code_matrix(std::uint64_t seed) {
    return test::sparse_gaussian(k, n, 3, seed);
  }
  static Codes<Scalar> codes_of(const Matrix<double>& C) {
    Codes<Scalar> codes;
    codes.columns = test::to_sparse<Scalar>(C.cast<Scalar>());
    codes.lambda.assign(static_cast<std::size_t>(C.cols()), 0);
    return codes;
  }
  ThreadPool pool_{2};
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MemoryTest, Scalars);

TYPED_TEST(MemoryTest, StartsAtZero) {
  const Memory memory(5, 3);
  EXPECT_TRUE(memory.A() == Matrix<double>::Zero(3, 3));
  EXPECT_TRUE(memory.B() == Matrix<double>::Zero(5, 3));
}

TYPED_TEST(MemoryTest, AccumulatesTheSumsOfStep11) {
  const Matrix<TypeParam> X =
      test::sparse_gaussian(this->m, this->n, 6, 1).template cast<TypeParam>();
  const Matrix<TypeParam> C = this->code_matrix(2).template cast<TypeParam>();
  const auto codes = this->codes_of(C.template cast<double>());
  const Matrix<double> X2 = X.template cast<double>(), C2 = C.template cast<double>();
  const SparseMatrix<TypeParam> sparse = test::to_sparse<TypeParam>(X);
  // Products and sums are made in double, also of float32 codes: n roundings.
  const double slack = 10 * test::epsilon<double>() * 20;
  for (const auto& batch : {Batch<TypeParam>::dense(X), Batch<TypeParam>::sparse(sparse)}) {
    Memory memory(this->m, this->k);
    memory.accumulate(batch, codes, 1.0, this->pool_);
    EXPECT_LE((memory.A() - C2 * C2.transpose()).cwiseAbs().maxCoeff(), slack);
    EXPECT_LE((memory.B() - X2 * C2.transpose()).cwiseAbs().maxCoeff(), slack);
    memory.accumulate(batch, codes, 1.0, this->pool_);
    EXPECT_LE((memory.A() - 2 * C2 * C2.transpose()).cwiseAbs().maxCoeff(), 2 * slack);
    EXPECT_LE((memory.B() - 2 * X2 * C2.transpose()).cwiseAbs().maxCoeff(), 2 * slack);
  }
}

TYPED_TEST(MemoryTest, StridedBatchesAreReadColumnByColumn) {
  const Matrix<TypeParam> wide = test::gaussian(this->m + 5, this->n, 3).template cast<TypeParam>();
  const Matrix<TypeParam> X = wide.topRows(this->m);
  const auto codes = this->codes_of(this->code_matrix(4));
  Memory a(this->m, this->k), b(this->m, this->k);
  a.accumulate(Batch<TypeParam>::dense(X), codes, 1.0, this->pool_);
  b.accumulate(
      Batch<TypeParam>::dense(wide.data(), this->m, this->n, this->m + 5), codes, 1.0, this->pool_);
  EXPECT_LE((a.B() - b.B()).cwiseAbs().maxCoeff(), 100 * test::epsilon<double>());
}

TYPED_TEST(MemoryTest, TakingABatchOutAgainLeavesRounding) {
  const Matrix<TypeParam> X = test::gaussian(this->m, this->n, 5).template cast<TypeParam>();
  const auto first = this->codes_of(this->code_matrix(6));
  const auto second = this->codes_of(this->code_matrix(7));
  Memory memory(this->m, this->k);
  memory.accumulate(Batch<TypeParam>::dense(X), first, 1.0, this->pool_);
  const Matrix<double> A = memory.A(), B = memory.B();
  memory.accumulate(Batch<TypeParam>::dense(X), second, 1.0, this->pool_);
  memory.accumulate(Batch<TypeParam>::dense(X), second, -1.0, this->pool_);
  const double slack = 100 * test::epsilon<double>() * 20;
  EXPECT_LE((memory.A() - A).cwiseAbs().maxCoeff(), slack);
  EXPECT_LE((memory.B() - B).cwiseAbs().maxCoeff(), slack);
}

TYPED_TEST(MemoryTest, AStaysSymmetricToTheBitAndPositiveSemidefinite) {
  Memory memory(this->m, this->k);
  for (std::uint64_t batch = 0; batch < 20; ++batch) {
    const Matrix<TypeParam> X = test::gaussian(this->m, this->n, batch).template cast<TypeParam>();
    const Vector<double> kept = memory.kept({.memory = MemoryKind::HalfLife, .half_life = 33},
                                            this->n,
                                            static_cast<Index>(batch) * this->n);
    memory.accumulate(Batch<TypeParam>::dense(X),
                      this->codes_of(this->code_matrix(batch + 100)),
                      1.0,
                      this->pool_,
                      kept);
    ASSERT_TRUE(memory.A() == memory.A().transpose()) << "batch " << batch;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(memory.A());
  EXPECT_GE(eigen.eigenvalues().minCoeff(), -100 * test::epsilon<double>() * memory.A().trace());
}

TYPED_TEST(MemoryTest, UnusedAtomsHaveExactlyZeroRowsAndColumns) {
  Matrix<double> C = this->code_matrix(8);
  C.row(3).setZero();
  const Matrix<TypeParam> X = test::gaussian(this->m, this->n, 9).template cast<TypeParam>();
  Memory memory(this->m, this->k);
  memory.accumulate(Batch<TypeParam>::dense(X), this->codes_of(C), 1.0, this->pool_);
  EXPECT_TRUE(memory.A().col(3).isZero(0));
  EXPECT_TRUE(memory.A().row(3).isZero(0));
  EXPECT_TRUE(memory.B().col(3).isZero(0));
}

TEST(Memory, GrowsByZeroBorders) {
  const Matrix<double> C = test::gaussian(4, 6, 10);
  const Matrix<double> A = C * C.transpose(), B = test::gaussian(5, 4, 11);
  Memory memory(A, B);
  memory.grow(3);
  ASSERT_EQ(memory.A().rows(), 7);
  ASSERT_EQ(memory.A().cols(), 7);
  ASSERT_EQ(memory.B().rows(), 5);
  ASSERT_EQ(memory.B().cols(), 7);
  EXPECT_TRUE(memory.A().topLeftCorner(4, 4) == A) << "bitwise";
  EXPECT_TRUE(memory.B().leftCols(4) == B);
  EXPECT_TRUE(memory.A().rightCols(3).isZero(0));
  EXPECT_TRUE(memory.A().bottomRows(3).isZero(0));
  EXPECT_TRUE(memory.B().rightCols(3).isZero(0));
  memory.grow(0);
  EXPECT_EQ(memory.A().rows(), 7);
}

TEST(Memory, GrowsFromNothing) {
  Memory memory(5, 0);
  memory.grow(2);
  EXPECT_TRUE(memory.A() == Matrix<double>::Zero(2, 2));
  EXPECT_TRUE(memory.B() == Matrix<double>::Zero(5, 2));
}

TEST(Memory, KeepLeavesSurvivingEntriesBitwise) {
  const Matrix<double> C = test::gaussian(6, 9, 12);
  const Matrix<double> A = C * C.transpose(), B = test::gaussian(5, 6, 13);
  Memory memory(A, B);
  memory.keep({true, false, true, true, false, true});
  const std::vector<Index> left = {0, 2, 3, 5};
  ASSERT_EQ(memory.A().rows(), 4);
  ASSERT_EQ(memory.B().cols(), 4);
  EXPECT_TRUE(memory.A() == Matrix<double>(A(left, left)));
  EXPECT_TRUE(memory.B() == Matrix<double>(B(Eigen::all, left)));
}

TEST(Memory, GrowThenRemoveIsTheIdentity) {
  const Matrix<double> C = test::gaussian(4, 6, 14);
  const Matrix<double> A = C * C.transpose(), B = test::gaussian(5, 4, 15);
  Memory memory(A, B);
  memory.grow(2);
  memory.keep({true, true, true, true, false, false});
  EXPECT_TRUE(memory.A() == A);
  EXPECT_TRUE(memory.B() == B);
}

TEST(Memory, GrowAndKeepCommuteWithPermutations) {
  const Index k = 8;
  const Matrix<double> C = test::gaussian(k, 12, 16);
  const Matrix<double> A = C * C.transpose(), B = test::gaussian(5, k, 17);
  std::vector<Index> order = test::permutation(k, 18);
  std::vector<bool> keep = {true, false, true, true, false, true, true, false};
  Memory plain(A, B), permuted(A(order, order), B(Eigen::all, order));
  std::vector<bool> keep_permuted(keep.size());
  for (Index j = 0; j < k; ++j) keep_permuted[j] = keep[order[j]];
  for (Memory* memory : {&plain, &permuted}) memory->grow(2);
  for (std::vector<bool>* list : {&keep, &keep_permuted}) list->insert(list->end(), {true, false});
  plain.keep(keep);
  permuted.keep(keep_permuted);
  // Where the survivors of `permuted` stand among those of `plain`.
  order.insert(order.end(), {k, k + 1});
  std::vector<Index> place(static_cast<std::size_t>(k) + 2), where;
  for (Index j = 0, next = 0; j < k + 2; ++j) place[j] = keep[j] ? next++ : -1;
  for (const Index j : order) {
    if (keep[j]) where.push_back(place[j]);
  }
  EXPECT_TRUE(permuted.A() == Matrix<double>(plain.A()(where, where)));
  EXPECT_TRUE(permuted.B() == Matrix<double>(plain.B()(Eigen::all, where)));
}

/// What a batch of n samples that use no atom leaves of the past.
void fade(Memory& memory, const MemoryOptions& options, Index n, Index seen) {
  const Matrix<double> X = Matrix<double>::Zero(memory.B().rows(), n);
  Codes<double> codes;
  codes.columns.rows = memory.A().rows();
  for (Index i = 0; i < n; ++i) codes.columns.end_column();
  ThreadPool pool;
  memory.accumulate(Batch<double>::dense(X), codes, 1, pool, memory.kept(options, n, seen));
}

TEST(Memory, SumForgetsNothing) {
  const Matrix<double> A = Matrix<double>::Identity(3, 3), B = test::gaussian(4, 3, 19);
  Memory memory(A, B);
  fade(memory, {}, 100, 1000);
  EXPECT_TRUE(memory.A() == A);
  EXPECT_TRUE(memory.B() == B);
}

TEST(Memory, MairalRescalesByTheShareOfTheBatch) {
  const Matrix<double> A = Matrix<double>::Identity(3, 3), B = test::gaussian(4, 3, 20);
  Memory memory(A, B);
  fade(memory, {.memory = MemoryKind::Mairal}, 20, 99);  // 1 - 20/100
  EXPECT_NEAR(memory.A()(1, 1), 0.8, 2 * test::epsilon<double>());
  EXPECT_LE((memory.B() - 0.8 * B).cwiseAbs().maxCoeff(), 8 * test::epsilon<double>());
}

TEST(Memory, MairalNeverTurnsTheMemoryAround) {
  // A batch larger than all that was seen: 1 - 200/21 is negative, and A would not be
  // positive semidefinite any more.
  Memory memory(Matrix<double>::Identity(3, 3), Matrix<double>::Ones(4, 3));
  fade(memory, {.memory = MemoryKind::Mairal}, 200, 20);
  EXPECT_GE(memory.A()(0, 0), 0);
  EXPECT_GE(memory.B()(0, 0), 0);
}

TEST(Memory, HalfLifeHalvesInItsTime) {
  const Matrix<double> A = Matrix<double>::Identity(3, 3), B = test::gaussian(4, 3, 21);
  const MemoryOptions options{.memory = MemoryKind::HalfLife, .half_life = 60};
  Memory memory(A, B);
  fade(memory, options, 20, 0);  // 2^(-1/3)
  EXPECT_NEAR(memory.A()(2, 2), std::cbrt(0.5), 4 * test::epsilon<double>());
  fade(memory, options, 40, 20);
  EXPECT_NEAR(memory.A()(2, 2), 0.5, 4 * test::epsilon<double>());
  EXPECT_LE((memory.B() - 0.5 * B).cwiseAbs().maxCoeff(), 16 * test::epsilon<double>());
  EXPECT_EQ(memory.A()(0, 1), 0);
}

}  // namespace
}  // namespace nodl
