// The hard cases of steps 12-19: a_jj = 0, nearly forgotten atoms, dead atoms, the last atom, ties.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "nodl/update.h"
#include "support/problems.h"
#include "support/simple_update.h"

namespace nodl {
namespace {

constexpr Index m = 12, k = 6;

template <class Scalar>
class UpdateEdges : public ::testing::Test {
 protected:
  // Memories of k atoms; those listed were never used.
  Memory memory_without(std::initializer_list<Index> unused) const {
    Matrix<double> C = test::gaussian(k, 40, 91);
    for (const Index j : unused) C.row(j).setZero();
    Matrix<double> A = C * C.transpose();
    A = (0.5 * (A + A.transpose())).eval();
    return Memory(A, test::gaussian(m, 40, 92) * C.transpose());
  }
  static UpdateOptions options(Index atom_nonzeros, double group_penalty) {
    UpdateOptions o;
    o.atom_nonzeros = atom_nonzeros;
    o.group_penalty = group_penalty;
    o.max_sweeps = 3;
    o.tolerance = 0;
    return o;
  }
  // The atoms have at most 4 nonzeros, so that keeping one is allowed everywhere.
  Matrix<Scalar> start_ = test::unit_columns(test::sparse_gaussian(m, k, 4, 93)).cast<Scalar>();

  Matrix<Scalar> update(const Memory& memory, const UpdateOptions& o, Index sparse_count = 0) {
    auto dictionary = test::dictionary_of<Scalar>(start_, sparse_count);
    ThreadPool pool;
    update_dictionary(dictionary, memory, o, {}, pool);
    return dictionary.to_dense();
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(UpdateEdges, Scalars);

// a_jj = 0 and so b_j = 0: with any penalty the exact minimiser is zero, with none the atom stays.
TYPED_TEST(UpdateEdges, UnusedAtomsExact) {
  const Memory memory = this->memory_without({2});
  for (const Index sparse_count : {Index{0}, k}) {
    auto o = this->options(m, 0);
    EXPECT_TRUE(this->update(memory, o, sparse_count).col(2) == this->start_.col(2))
        << "no penalty";
    o = this->options(4, 0);
    EXPECT_TRUE(this->update(memory, o, sparse_count).col(2).isZero(0)) << "sparse atoms";
    o = this->options(m, 0.01);
    EXPECT_TRUE(this->update(memory, o, sparse_count).col(2).isZero(0)) << "group penalty";
    o = this->options(4, 0.01);
    EXPECT_TRUE(this->update(memory, o, sparse_count).col(2).isZero(0)) << "both";
  }
}

TYPED_TEST(UpdateEdges, UnusedAtomsZero) {
  const Memory memory = this->memory_without({2});
  for (const Index nonzeros : {Index{4}, m}) {
    for (const double penalty : {0.0, 0.01}) {
      auto o = this->options(nonzeros, penalty);
      o.unused_atoms = UnusedAtoms::Zero;
      EXPECT_TRUE(this->update(memory, o).col(2).isZero(0)) << nonzeros << ", " << penalty;
    }
  }
}

TYPED_TEST(UpdateEdges, UnusedAtomsKeep) {
  const Memory memory = this->memory_without({2});
  for (const Index nonzeros : {Index{4}, m}) {
    for (const double penalty : {0.0, 0.01}) {
      auto o = this->options(nonzeros, penalty);
      o.unused_atoms = UnusedAtoms::Keep;
      EXPECT_TRUE(this->update(memory, o).col(2) == this->start_.col(2))
          << nonzeros << ", " << penalty;
    }
  }
}

// PRODUCT.md, memory: an atom whose a_jj fell below 1e-12 of the largest is left as it is.
TYPED_TEST(UpdateEdges, ForgottenAtomsAreLeftAsTheyAre) {
  const Memory full = this->memory_without({});
  Vector<double> decay = Vector<double>::Ones(k);
  decay(2) = 1e-9;  // a_22 falls to about 1e-18
  const Memory memory(decay.asDiagonal() * full.A() * decay.asDiagonal(),
                      full.B() * decay.asDiagonal());
  for (const Index nonzeros : {Index{4}, m}) {
    for (const double penalty : {0.0, 0.01}) {
      const auto D = this->update(memory, this->options(nonzeros, penalty));
      EXPECT_TRUE(D.col(2) == this->start_.col(2)) << nonzeros << ", " << penalty;
      EXPECT_FALSE(D.col(3) == this->start_.col(3));
    }
  }
}

TYPED_TEST(UpdateEdges, AllCasesEqualThePlainTwin) {
  const Memory memory = this->memory_without({0, 4});
  this->start_.col(3).setZero();  // dead, but with history
  for (const Index nonzeros : {Index{4}, m}) {
    for (const double penalty : {0.0, 0.01}) {
      for (const UnusedAtoms unused : {UnusedAtoms::Exact, UnusedAtoms::Zero, UnusedAtoms::Keep}) {
        for (const DeadAtoms dead : {DeadAtoms::Update, DeadAtoms::Skip}) {
          auto o = this->options(nonzeros, penalty);
          o.unused_atoms = unused;
          o.dead_atoms = dead;
          const Matrix<double> twin =
              test::simple_update(this->start_.template cast<double>(), memory.A(), memory.B(), o)
                  .D;
          const Matrix<double> D = this->update(memory, o).template cast<double>();
          EXPECT_LE((D - twin).cwiseAbs().maxCoeff(), 1e4 * test::epsilon<TypeParam>())
              << nonzeros << ", " << penalty << ", " << name_of(unused) << ", " << name_of(dead);
        }
      }
    }
  }
}

TYPED_TEST(UpdateEdges, DeadAtomsComeBackIfUpdated) {
  this->start_.col(3).setZero();
  const Memory memory = this->memory_without({});
  for (const Index nonzeros : {Index{4}, m}) {
    for (const double penalty : {0.0, 0.01}) {
      const auto o = this->options(nonzeros, penalty);
      EXPECT_FALSE(this->update(memory, o).col(3).isZero(0)) << nonzeros << ", " << penalty;
    }
  }
}

// PAPER_VS_CODE 5.5: the routine with group penalty skips them, the one without does not; and issue
// 2: in `released` the routine follows group-penalty > 0.
TYPED_TEST(UpdateEdges, DeadAtomsAreSkippedOnlyWithAGroupPenalty) {
  this->start_.col(3).setZero();
  const Memory memory = this->memory_without({});
  for (const Index nonzeros : {Index{4}, m}) {
    auto o = this->options(nonzeros, 0.01);
    o.dead_atoms = DeadAtoms::Skip;
    EXPECT_TRUE(this->update(memory, o).col(3).isZero(0));
    o.group_penalty = 0;
    EXPECT_FALSE(this->update(memory, o).col(3).isZero(0));
  }
}

TYPED_TEST(UpdateEdges, TheLastAtomIsKeptOrDiesByOption) {
  const Memory memory = this->memory_without({});
  for (const Index nonzeros : {Index{4}, m}) {
    for (const DeadAtoms dead : {DeadAtoms::Update, DeadAtoms::Skip}) {
      auto o = this->options(nonzeros, 1e6);  // no atom can live
      o.dead_atoms = dead;
      const auto kept = this->update(memory, o);
      EXPECT_EQ((kept.array() != 0).colwise().any().count(), 1);
      EXPECT_TRUE(kept.col(k - 1) == this->start_.col(k - 1)) << "its old value";
      o.last_atom = LastAtom::Die;
      EXPECT_TRUE(this->update(memory, o).isZero(0));
    }
  }
}

TYPED_TEST(UpdateEdges, TheLastAtomIsKeptAlsoWhereNoneWasUsed) {
  const Memory nothing(m, k);
  for (const Index nonzeros : {Index{4}, m}) {
    auto o = this->options(nonzeros, 0.01);
    const auto kept = this->update(nothing, o);
    EXPECT_EQ((kept.array() != 0).colwise().any().count(), 1);
    o.last_atom = LastAtom::Die;
    EXPECT_TRUE(this->update(nothing, o).isZero(0));
  }
}

// Binary data give ties in u_j: the tied ones stay together (issue 2).
TYPED_TEST(UpdateEdges, TiesInTheThresholdStayTogether) {
  Matrix<double> A = Matrix<double>::Identity(1, 1);
  Matrix<double> B = Matrix<double>::Zero(m, 1);
  B(0, 0) = 0.75;
  for (const Index i : {3, 5, 7}) B(i, 0) = 0.25;
  this->start_ = Matrix<TypeParam>::Identity(m, 1);
  auto o = this->options(2, 0);
  const Matrix<double> D = this->update(Memory(A, B), o).template cast<double>();
  // u = b; the third largest is 1/4 and leaves one: the next smaller value, 0, is the threshold.
  EXPECT_LE((D - B).cwiseAbs().maxCoeff(), test::epsilon<TypeParam>());
  o.atom_nonzeros = 1;  // the second largest, 1/4, leaves exactly one
  const Matrix<double> one = this->update(Memory(A, B), o).template cast<double>();
  EXPECT_NEAR(one(0, 0), 0.5, test::epsilon<TypeParam>());
  EXPECT_EQ((one.array() != 0).count(), 1);
}

TYPED_TEST(UpdateEdges, GroupPenaltyIsAThresholdOnTheNormAfterStep15) {
  // Two atoms that do not meet: u_j = b_j. After the threshold of two nonzeros their norms are
  // 0.5 and 0.25.
  Matrix<double> A = Matrix<double>::Identity(2, 2);
  Matrix<double> B = Matrix<double>::Zero(m, 2);
  B.col(0).head(3) << 0.6, -0.7, 0.3;   // minus 0.3: 0.3, -0.4
  B.col(1).tail(3) << 0.05, 0.2, 0.25;  // minus 0.05: 0.15, 0.2
  this->start_ = Matrix<TypeParam>::Identity(m, 2);
  const Matrix<double> D =
      this->update(Memory(A, B), this->options(2, 0.3)).template cast<double>();
  EXPECT_NEAR(D(0, 0), 0.3 * (1 - 0.3 / 0.5), 8 * test::epsilon<TypeParam>());
  EXPECT_NEAR(D(1, 0), -0.4 * (1 - 0.3 / 0.5), 8 * test::epsilon<TypeParam>());
  EXPECT_TRUE(D.col(1).isZero(0));
}

}  // namespace
}  // namespace nodl
