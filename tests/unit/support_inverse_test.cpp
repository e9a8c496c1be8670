// M^T M is the inverse of the support's Gram matrix, however atoms entered and left.
#include "encode/support_inverse.h"

#include <gtest/gtest.h>

#include "support/problems.h"

namespace nodl {
namespace {

class SupportInverseTest : public ::testing::Test {
 protected:
  static constexpr Index kDimension = 96, kAtoms = 90;

  enum class Way { Components, Products };

  void clear(Way way) {
    way_ = way;
    inverse_.clear();
    support_.clear();
    z_.clear();
  }

  void enter(Index atom) {
    const Index p = inverse_.size();
    if (way_ == Way::Products) {
      for (Index i = 0; i < p; ++i) inverse_.products()[i] = gram_(support_[i], atom);
      ASSERT_TRUE(inverse_.enter(gram_(atom, atom)));
    } else {
      enter_by_components(atom);
    }
    support_.push_back(atom);
    // z = M q_A, kept up to date as the search does it
    float z = 0;
    for (Index i = 0; i <= p; ++i) z += inverse_.row(p)[i] * q_[support_[i]];
    z_.push_back(z);
  }

  void enter_by_components(Index atom) {
    const Index p = inverse_.size();
    Vector<float> along(p);
    for (Index t = 0; t < p; ++t) {
      along[t] = 0;
      for (Index i = 0; i <= t; ++i) {
        along[t] += inverse_.row(t)[i] * gram_(support_[i], atom);
      }
    }
    const float rest = std::sqrt(gram_(atom, atom) - along.squaredNorm());
    inverse_.push(along.data(), 1, 1 / rest);
  }

  /// G_AA^-1 q_A changes by a multiple of the row that goes away.
  void leave(Index position) {
    const std::vector<float> before = combined();
    inverse_.leave(position, z_.data());
    const Index p = inverse_.size();
    const float last = z_.back();
    z_.pop_back();
    support_.erase(support_.begin() + position);
    const std::vector<float> after = combined();
    for (Index i = 0; i <= p; ++i) {
      const float left = before[i] - last * inverse_.row(p)[i];
      EXPECT_NEAR(left, i == position ? 0 : after[i - (i > position ? 1 : 0)], 2e-4F);
    }
  }

  std::vector<float> combined() const {
    std::vector<float> a(SupportInverse::padded(inverse_.size()));
    inverse_.combine(z_.data(), a.data());
    return a;
  }

  void expect_solutions() {
    const Index p = inverse_.size();
    ASSERT_EQ(p, static_cast<Index>(support_.size()));
    Vector<float> x(p);
    const std::vector<float> a = combined();
    for (Index i = 0; i < p; ++i) x[i] = q_[support_[i]];
    const Vector<float> q = x;
    inverse_.solve(x.data());
    for (Index i = 0; i < p; ++i) {
      float back = 0, forth = 0;
      for (Index j = 0; j < p; ++j) {
        back += gram_(support_[i], support_[j]) * x[j];
        forth += gram_(support_[i], support_[j]) * a[j];
      }
      EXPECT_NEAR(back, q[i], 2e-4F);
      EXPECT_NEAR(forth, q[i], 2e-4F);
    }
  }

  Matrix<float> atoms_ = test::unit_columns(test::gaussian(kDimension, kAtoms, 31)).cast<float>();
  Matrix<float> gram_ = atoms_.transpose() * atoms_;
  Vector<float> q_ = test::gaussian(kAtoms, 1, 32).cast<float>();
  SupportInverse inverse_{kAtoms};
  std::vector<Index> support_;
  std::vector<float> z_;
  Way way_ = Way::Components;
};

TEST_F(SupportInverseTest, GrowsBeyondItsFirstRows) {
  for (const Way way : {Way::Components, Way::Products}) {
    clear(way);
    for (Index j = 0; j < 70; ++j) {
      enter(j);
      if (j % 9 == 0 || j > 66) expect_solutions();
    }
  }
}

TEST_F(SupportInverseTest, AnAtomThatDependsOnTheOthersDoesNotEnter) {
  clear(Way::Products);
  for (Index j = 0; j < 20; ++j) enter(j);
  for (Index i = 0; i < 20; ++i) {
    inverse_.products()[i] = 0.6F * gram_(i, 3) - 0.8F * gram_(i, 7);
  }
  EXPECT_FALSE(inverse_.enter(1 - 0.96F * gram_(3, 7)));
  expect_solutions();
}

TEST_F(SupportInverseTest, AnyAtomMayLeave) {
  for (const Index size : {1, 2, 9, 33}) {
    for (Index position = 0; position < size; position += std::max<Index>(1, size / 5)) {
      clear(position % 2 == 0 ? Way::Components : Way::Products);
      for (Index j = 0; j < size; ++j) enter(j);
      leave(position);
      expect_solutions();
      enter(40);
      enter(position);  // and come back
      expect_solutions();
      while (inverse_.size() > 1) leave(inverse_.size() / 2);
      expect_solutions();
    }
  }
}

}  // namespace
}  // namespace nodl
