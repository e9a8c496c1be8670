// The thread pool: every piece once, whatever the number of threads; failures come through.
#include "nodl/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "relay.h"

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

TEST_P(Pools, DoEveryPieceDealtInGroupsOnce) {
  for (const Index pieces : {1, 2, 7, 31, 32, 33, 1000}) {
    for (const Index group : {1, 2, 4, 50}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
      pool_.run_dealt(
          pieces, [&](Index piece, int) { ++done.at(piece); }, group);
      for (const auto& count : done) EXPECT_EQ(count, 1) << pieces << " in groups of " << group;
    }
  }
}

TEST_P(Pools, TakePiecesInOrderSoThatTheyMayWaitForEarlierOnes) {
  for (int round = 0; round < 200; ++round) {
    Relay relay;
    std::vector<Index> order;
    pool_.run_in_order(20, [&](Index piece, int) {
      ASSERT_TRUE(relay.await(piece));
      order.push_back(piece);  // nobody else's turn
      relay.hand_over(piece + 1);
    });
    for (Index piece = 0; piece < 20; ++piece) ASSERT_EQ(order.at(piece), piece);
  }
}

// Before its turn or at it, while others are at theirs or wait.
TEST_P(Pools, EndThoughAPieceThatOthersWaitForFails) {
  for (int round = 0; round < 200; ++round) {
    Relay relay;
    const auto work = [&](Index piece, int) {
      const bool early = round % 2 == 0;
      if ((early && piece == 3) || !relay.await(piece) || piece == 3) {
        relay.give_up();
        throw std::runtime_error("piece 3, or one after it");
      }
      EXPECT_LT(piece, 3);
      relay.hand_over(piece + 1);
    };
    EXPECT_THROW(pool_.run_in_order(20, work), std::runtime_error);
  }
}

/// The piece that each worker begins with, if no piece ends before every worker has begun one.
template <class Run>
std::vector<Index> first_pieces(ThreadPool& pool, const Run& run) {
  std::vector<Index> first(static_cast<std::size_t>(pool.threads()), -1);
  std::atomic<int> present = 0;
  run([&](Index piece, int worker) {
    if (first[worker] >= 0) return;
    first[worker] = piece;
    ++present;
    while (present < pool.threads()) std::this_thread::yield();
  });
  return first;
}

TEST_P(Pools, GiveEachWorkerAShare) {
  const Index each = 5;
  const std::vector<Index> first = first_pieces(
      pool_, [&](const ThreadPool::Work& work) { pool_.run(each * GetParam(), work); });
  for (int worker = 0; worker < GetParam(); ++worker) EXPECT_EQ(first[worker], worker * each);
}

TEST_P(Pools, DealLikeCards) {
  for (const Index group : {1, 3}) {
    const std::vector<Index> first = first_pieces(pool_, [&](const ThreadPool::Work& work) {
      pool_.run_dealt(15 * GetParam(), work, group);
    });
    for (int worker = 0; worker < GetParam(); ++worker) EXPECT_EQ(first[worker], worker * group);
  }
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

// Workers that come late, of which there are many where threads outnumber cores, find a job ended
// and another begun: they must neither take pieces of the first nor count for the second.
TEST_P(Pools, LeaveJobsAloneThatEndedWithoutThem) {
  for (int round = 0; round < 5000; ++round) {
    const Index pieces = 2 + round % 7;
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
    const auto work = [&](Index piece, int) { ++done.at(piece); };
    round % 2 == 0 ? pool_.run(pieces, work) : pool_.run_dealt(pieces, work);
    for (const auto& count : done) ASSERT_EQ(count, 1) << "round " << round;
  }
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
