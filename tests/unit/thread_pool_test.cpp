// The thread pool: every piece once, whatever the number of threads; failures come through.
#include "nodl/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nodl {
namespace {

class Pools : public ::testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(,
                         Pools,
                         ::testing::Values(1, 2, 3, 8),
                         ::testing::PrintToStringParamName());

TEST_P(Pools, HaveTheThreadsAskedFor) { EXPECT_EQ(pool_.threads(), GetParam()); }

TEST_P(Pools, DoEveryPieceOnce) {
  for (const Index pieces : {1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
    pool_.run(pieces, [&](Index piece, int) { ++done[piece]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

TEST_P(Pools, BeginPiecesInOrderIfAsked) {
  constexpr Index kPieces = 300;
  std::vector<int> begun(kPieces, -1);
  std::atomic<int> clock = 0;
  pool_.run_in_order(kPieces, [&](Index piece, int) { begun[piece] = clock++; });
  // A thread may be held up between taking a piece and beginning it, but only with one at a time.
  for (Index piece = 0; piece < kPieces; ++piece) EXPECT_GE(begun[piece], 0);
  for (Index later = 0; later < kPieces; ++later) {
    const auto overtaken = std::count_if(
        begun.begin(), begun.begin() + later, [&](int time) { return time > begun[later]; });
    EXPECT_LT(overtaken, GetParam());
  }
}

TEST_P(Pools, DealEachWorkerItsShare) {
  // No piece ends before every worker has begun one: each begins where its own share does.
  const Index each = 5, pieces = each * GetParam();
  std::vector<std::atomic<int>> first(static_cast<std::size_t>(GetParam()));
  for (auto& piece : first) piece = -1;
  std::atomic<int> present = 0;
  pool_.run(pieces, [&](Index piece, int worker) {
    if (first[worker] >= 0) return;
    first[worker] = static_cast<int>(piece);
    ++present;
    while (present < GetParam()) std::this_thread::yield();
  });
  for (int worker = 0; worker < GetParam(); ++worker) EXPECT_EQ(first[worker], worker * each);
}

TEST_P(Pools, NumberTheirWorkers) {
  std::vector<std::atomic<int>> inside(static_cast<std::size_t>(GetParam()));
  std::atomic<bool> clash = false;
  pool_.run(500, [&](Index, int worker) {
    ASSERT_GE(worker, 0);
    ASSERT_LT(worker, GetParam());
    if (++inside[worker] != 1) clash = true;  // two threads never share a number
    std::this_thread::yield();
    --inside[worker];
  });
  EXPECT_FALSE(clash);
}

TEST_P(Pools, DoNothingForNoPieces) {
  bool called = false;
  pool_.run(0, [&](Index, int) { called = true; });
  EXPECT_FALSE(called);
}

TEST_P(Pools, ThrowWhatAPieceThrowsAndGoOn) {
  for (int round = 0; round < 20; ++round) {
    try {
      pool_.run(100, [](Index piece, int) {
        if (piece == 37) throw std::runtime_error("piece 37");
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "piece 37");
    }
    std::atomic<int> done = 0;
    pool_.run(50, [&](Index, int) { ++done; });
    EXPECT_EQ(done, 50);
  }
}

TEST_P(Pools, ThrowOneOfManyFailures) {
  EXPECT_THROW(pool_.run(64, [](Index, int) { throw std::out_of_range("all fail"); }),
               std::out_of_range);
}

TEST_P(Pools, AreReusedThousandsOfTimes) {
  std::vector<long> sums(16, 0);
  for (int round = 0; round < 3000; ++round) {
    pool_.run(16,
              [&](Index piece, int) { sums[piece] += piece; });  // results are visible after run
  }
  for (long piece = 0; piece < 16; ++piece) EXPECT_EQ(sums[piece], 3000 * piece);
}

TEST(ThreadPool, ZeroMeansAllCores) {
  const ThreadPool pool(0);
  EXPECT_GE(pool.threads(), 1);
  if (std::thread::hardware_concurrency() > 0) {
    EXPECT_EQ(pool.threads(), static_cast<int>(std::thread::hardware_concurrency()));
  }
}

}  // namespace
}  // namespace nodl
