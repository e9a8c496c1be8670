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

TEST_P(Pools, DoEveryDealtPieceOnce) {
  for (const Index pieces : {1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
    pool_.run_dealt(pieces, [&](Index piece, int) { ++done[piece]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

/// The piece that each worker begins with, if no piece ends before every worker has begun one.
std::vector<Index> first_pieces(ThreadPool& pool,
                                void (ThreadPool::*run)(Index, const ThreadPool::Work&),
                                Index pieces) {
  std::vector<Index> first(static_cast<std::size_t>(pool.threads()), -1);
  std::atomic<int> present = 0;
  (pool.*run)(pieces, [&](Index piece, int worker) {
    if (first[worker] >= 0) return;
    first[worker] = piece;
    ++present;
    while (present < pool.threads()) std::this_thread::yield();
  });
  return first;
}

TEST_P(Pools, GiveEachWorkerAShare) {
  const Index each = 5;
  const std::vector<Index> first = first_pieces(pool_, &ThreadPool::run, each * GetParam());
  for (int worker = 0; worker < GetParam(); ++worker) EXPECT_EQ(first[worker], worker * each);
}

TEST_P(Pools, DealLikeCards) {
  const std::vector<Index> first = first_pieces(pool_, &ThreadPool::run_dealt, 5 * GetParam());
  for (int worker = 0; worker < GetParam(); ++worker) EXPECT_EQ(first[worker], worker);
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
