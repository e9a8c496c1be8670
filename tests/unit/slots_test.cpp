// Columns that atoms keep for life.
#include "nodl/slots.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/streams.h"

namespace nodl {
namespace {

std::vector<AtomRecord> with_slots(const std::vector<std::int64_t>& slots) {
  std::vector<AtomRecord> records;
  for (const std::int64_t slot : slots) {
    records.push_back({});
    records.back().slot = slot;
  }
  return records;
}

TEST(Slots, NeverUsedOnesComeFirst) {
  Progress progress;
  progress.next_slot = 3;  // 0 and 1 are free again
  EXPECT_EQ(take_slot(with_slots({2}), progress, 5), 3);
  EXPECT_EQ(take_slot(with_slots({2, 3}), progress, 5), 4);
  EXPECT_EQ(take_slot(with_slots({2, 3, 4}), progress, 5), 0);
  EXPECT_EQ(take_slot(with_slots({2, 3, 4, 0}), progress, 5), 1);
  EXPECT_EQ(progress.next_slot, 5);
  EXPECT_EQ(slot_count(progress, 5), 5);
}

TEST(Slots, MoreAtomsThanTheCapStillGetTheirOwn) {
  Progress progress;
  progress.next_slot = 2;
  EXPECT_EQ(take_slot(with_slots({0, 1}), progress, 2), 2);
  EXPECT_EQ(slot_count(progress, 2), 3);
}

TEST(Slots, AreAssignedToThoseThatHaveNone) {
  Progress progress;
  std::vector<AtomRecord> records = with_slots({-1, -1, -1});
  assign_slots(records, progress, 10);
  EXPECT_EQ(records, with_slots({0, 1, 2}));
  assign_slots(records, progress, 10);
  EXPECT_EQ(records, with_slots({0, 1, 2}));
}

// Whoever reads the codes of a long run sees each column mean one atom until that atom is dead.
void expect_kept_for_life(bool redraw_dead) {
  Options options;
  options.atoms = 6;
  options.coding = test::with_count(Coder::Lars, 3, AtomNorm::Raw);
  options.birth.births = Births::Always;
  options.birth.max_births = redraw_dead ? 0 : 4;
  options.birth.max_atoms = 16;
  options.update.atom_nonzeros = 5;
  options.update.group_penalty = redraw_dead ? 0 : 0.7;
  options.update.redraw_dead = redraw_dead;
  Learner<double> learner(24, options);
  std::map<std::int64_t, std::int64_t> slot_of;  // id -> slot, over the whole run
  std::set<std::int64_t> used;
  std::int64_t deaths = 0;
  for (std::uint64_t batch = 0; batch < 40; ++batch) {
    const Index domain = static_cast<Index>(batch / 2 % 3);
    const Matrix<double> X =
        test::latent_samples(24, 8 * domain, 8, 15, static_cast<std::uint64_t>(domain), batch);
    deaths += static_cast<std::int64_t>(learner.learn_batch(Batch<double>::dense(X)).died.size());
    std::set<std::int64_t> now;
    for (const AtomRecord& record : learner.model().dictionary.records()) {
      const auto [known, is_new] = slot_of.emplace(record.id, record.slot);
      EXPECT_EQ(known->second, record.slot);
      EXPECT_TRUE(now.insert(record.slot).second) << "two atoms in one slot";
      EXPECT_GE(record.slot, 0);
      EXPECT_LT(record.slot, 16);
      // A slot is used again only when none is left that never was.
      if (is_new && used.count(record.slot) > 0) {
        EXPECT_EQ(learner.model().progress.next_slot, 16);
      }
    }
    used.insert(now.begin(), now.end());
  }
  if (!redraw_dead) {
    EXPECT_GT(deaths, 10);
  }
}

TEST(Slots, AreKeptForLifeWithBirthsAndDeaths) { expect_kept_for_life(false); }
TEST(Slots, AreKeptForLifeWhereDeadAtomsAreRedrawn) { expect_kept_for_life(true); }

}  // namespace
}  // namespace nodl
