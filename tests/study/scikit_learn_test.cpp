// Another library's dictionaries, by its own Python.
#include "studies/scikit_learn.h"

#include <gtest/gtest.h>

#include "nodl/error.h"
#include "support/problems.h"

namespace nodl::study {
namespace {

class ScikitLearn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!scikit_learn_present()) GTEST_SKIP() << "no python3 with scikit-learn was found";
  }
  const Matrix<double> X = test::gaussian(12, 40, 7).cwiseAbs();
};

TEST_F(ScikitLearn, LearnsAtomsOfTheSamplesLength) {
  for (const char* name : {"MiniBatchDictionaryLearning", "MiniBatchNMF"}) {
    const Matrix<double> atoms = scikit_learn_atoms(name, X, 5, 20, 1);
    EXPECT_EQ(atoms.rows(), 12) << name;
    EXPECT_EQ(atoms.cols(), 5) << name;
    EXPECT_TRUE(atoms.allFinite()) << name;
    EXPECT_GT(atoms.norm(), 0) << name;
    EXPECT_EQ(atoms, scikit_learn_atoms(name, X, 5, 20, 1)) << name;
  }
}

TEST_F(ScikitLearn, SaysThatItFailed) {
  EXPECT_THROW(scikit_learn_atoms("NoSuchEstimator", X, 5, 20, 1), ResourceError);
}

}  // namespace
}  // namespace nodl::study
