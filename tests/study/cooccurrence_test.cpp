// Counting words, by hand.
#include "studies/cooccurrence.h"

#include <gtest/gtest.h>

namespace nodl::study {
namespace {

Matrix<double> counted(CooccurrenceCounter& counter, const std::vector<std::string>& words) {
  for (const std::string& word : words) counter.add(word, "text");
  return counter.matrix().to_dense();
}

TEST(Cooccurrence, CountsTheWordItselfAndItsNeighbours) {
  CooccurrenceCounter counter(1);
  const Matrix<double> A = counted(counter, {"a", "b", "c"});
  Matrix<double> expected(3, 3);
  expected << 1, 1, 0, 1, 1, 1, 0, 1, 1;
  EXPECT_EQ(A, expected);
}

TEST(Cooccurrence, ARepeatedWordIsSeenFromBothPlaces) {
  CooccurrenceCounter counter(5);
  const Matrix<double> A = counted(counter, {"a", "a"});
  EXPECT_EQ(A(0, 0), 4);  // each sees itself and the other
}

TEST(Cooccurrence, AnExcludedWordTakesItsPlaceInTheWindow) {
  CooccurrenceCounter counter(1);
  counter.exclude("the");
  const Matrix<double> A = counted(counter, {"a", "the", "b"});
  EXPECT_EQ(counter.vocabulary().size(), 2U);
  EXPECT_EQ(A(0, 1), 0);
}

TEST(Cooccurrence, IsSymmetric) {
  CooccurrenceCounter counter(2);
  const Matrix<double> A = counted(counter, {"a", "b", "a", "c", "b", "b", "a"});
  EXPECT_EQ(A, A.transpose());
}

}  // namespace
}  // namespace nodl::study
