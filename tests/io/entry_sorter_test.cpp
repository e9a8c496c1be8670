#include "io/entry_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nodl::io::test {
namespace {

/// Pushes random entries and compares with a stable sort of all of them; the value is the order in
/// which they came.
void expect_sorted(std::size_t memory, int count, Index samples) {
  std::mt19937 random(1);
  std::vector<PlacedEntry> expected;
  EntrySorter sorter(memory);
  for (int i = 0; i < count; ++i) {
    const PlacedEntry entry{static_cast<Index>(random() % samples),
                            {static_cast<RowIndex>(random() % 5), static_cast<double>(i)}};
    expected.push_back(entry);
    sorter.push(entry.sample, entry.entry.row, entry.entry.value);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
    return a.sample < b.sample;
  });
  sorter.sort();
  for (const PlacedEntry& entry : expected) {
    ASSERT_NE(sorter.front(), nullptr);
    ASSERT_EQ(sorter.front()->sample, entry.sample);
    ASSERT_EQ(sorter.front()->entry.row, entry.entry.row);
    ASSERT_EQ(sorter.front()->entry.value, entry.entry.value);
    sorter.pop();
  }
  EXPECT_EQ(sorter.front(), nullptr);
}

TEST(EntrySorter, SortsInMemory) {
  expect_sorted(1 << 20, 0, 1);
  expect_sorted(1 << 20, 1, 1);
  expect_sorted(1 << 20, 5000, 70);
}

TEST(EntrySorter, SortsThroughTemporaryFiles) {
  expect_sorted(0, 17, 3);                       // two runs of at most 16 entries
  expect_sorted(0, 64 * 16, 100);                // just as many runs as are merged at a time
  expect_sorted(0, 64 * 16 + 1, 1000);           // one more
  expect_sorted(0, 3 * 64 * 64 * 16 + 7, 5000);  // merged twice
  expect_sorted(64 << 10, 100'000, 3);
}

}  // namespace
}  // namespace nodl::io::test
