// The structure of A, by hand.
#include "studies/products.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nodl::study {
namespace {

TEST(StructureOfMemory, OfTwoAtoms) {
  Matrix<double> A(2, 2);
  A << 4, 1, 1, 1;
  const auto numbers = structure_of_memory(A, {{0, 0, 9, 9}, {1, 3, 9, 9}});
  EXPECT_DOUBLE_EQ(numbers.at("A.off_diagonal_share"), 2.0 / 7);
  EXPECT_DOUBLE_EQ(numbers.at("A.coupling"), (1.0 / 4 + 1.0 / 1) / 2);
  EXPECT_DOUBLE_EQ(numbers.at("A.coupling_across"), 1.0 / 4);  // the old one's view of the new one
  EXPECT_DOUBLE_EQ(numbers.at("A.coupling_old"), 0);           // nobody else is old
  // Eigenvalues (5 +- sqrt(13)) / 2.
  EXPECT_NEAR(numbers.at("A.condition_log10"),
              std::log10((5 + std::sqrt(13.0)) / (5 - std::sqrt(13.0))),
              1e-12);
}

TEST(StructureOfMemory, AtomsNeverUsedTieNobody) {
  Matrix<double> A = Matrix<double>::Zero(3, 3);
  A.diagonal() << 2, 0, 5;
  const auto numbers = structure_of_memory(A, std::vector<AtomRecord>(3));
  EXPECT_EQ(numbers.at("A.off_diagonal_share"), 0);
  EXPECT_EQ(numbers.at("A.coupling"), 0);
  EXPECT_NEAR(numbers.at("A.condition_log10"), std::log10(2.5), 1e-12);
}

TEST(Raster, RunsFromBlackToWhiteRowByRow) {
  Matrix<double> values(1, 3);
  values << 0, 0.5, 2;
  const Json picture = raster(values, 0, 1);
  EXPECT_EQ(picture.at("width"), 3);
  EXPECT_EQ(picture.at("height"), 1);
  EXPECT_EQ(picture.at("grey"), "AID/");  // 0, 128, 255
}

}  // namespace
}  // namespace nodl::study
