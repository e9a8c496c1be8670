// What each preset says on every point that the paper and the released code differ on, and the
// defaults that are derived from the dimension.
#include <gtest/gtest.h>

#include <string>

#include "nodl/options.h"

namespace nodl {
namespace {

// Numbers in comments are rows of PAPER_VS_CODE.
TEST(PresetPaper, PinsEveryRow) {
  const Options o = preset(Preset::Paper);
  EXPECT_EQ(o.coding.coder, Coder::Lars);                    // 2.1
  EXPECT_EQ(o.coding.lsqr_iterations, 20);                   // 2.1
  EXPECT_FALSE(o.coding.refit);                              // 2.1
  EXPECT_EQ(o.coding.atom_norm, AtomNorm::Centered);         // 2.3
  EXPECT_EQ(o.birth.birth_metric, BirthMetric::Pearson);     // 3.1
  EXPECT_TRUE(o.birth.first_batch_births);                   // 3.3
  EXPECT_EQ(o.birth.birth_rate, BirthRate::Fresh);           // 3.4
  EXPECT_EQ(o.birth.birth_init, BirthInit::Random);          // 3.5
  EXPECT_EQ(o.init, Init::Random);                           // 3.5
  EXPECT_EQ(o.update.max_sweeps, 50);                        // 5.1: until convergence, or nearly
  EXPECT_DOUBLE_EQ(o.update.tolerance, 1e-3);                // 5.1
  EXPECT_EQ(o.update.unused_atoms, UnusedAtoms::Exact);      // 5.2
  EXPECT_EQ(o.update.dead_atoms, DeadAtoms::Update);         // 5.5
  EXPECT_EQ(o.update.last_atom, LastAtom::Keep);             // 5.5
  EXPECT_EQ(o.update.remove_dead, RemoveDead::Penalty);      // 5.7
  EXPECT_EQ(o.update.atom_threshold, AtomThreshold::Exact);  // 6
  EXPECT_EQ(o.inputs, Inputs::Joined);                       // 8.1
  EXPECT_EQ(o.last_batch, LastBatch::Use);                   // 8.1
}

TEST(PresetReleased, PinsEveryRow) {
  const Options o = preset(Preset::Released);
  EXPECT_EQ(o.coding.coder, Coder::Threshold);                   // 2.1
  EXPECT_EQ(o.coding.lsqr_iterations, 20);                       // 2.1
  EXPECT_FALSE(o.coding.refit);                                  // 2.1
  EXPECT_EQ(o.coding.atom_norm, AtomNorm::Centered);             // 2.3
  EXPECT_EQ(o.birth.birth_metric, BirthMetric::Spearman);        // 3.1
  EXPECT_FALSE(o.birth.first_batch_births);                      // 3.3
  EXPECT_EQ(o.birth.birth_rate, BirthRate::Carried);             // 3.4
  EXPECT_EQ(o.birth.birth_init, BirthInit::Random);              // 3.5
  EXPECT_EQ(o.init, Init::Random);                               // 3.5
  EXPECT_EQ(o.update.max_sweeps, 0);                             // 5.1: by the authors' rule
  EXPECT_EQ(resolve(o, 1024).update.max_sweeps, 10);             // 5.1
  EXPECT_EQ(resolve(o, 10000).update.max_sweeps, 20);            // 5.1
  EXPECT_EQ(resolve(o, 500).update.max_sweeps, 5);               // 5.1
  EXPECT_DOUBLE_EQ(o.update.tolerance, 1e-2);                    // 5.1
  EXPECT_EQ(o.update.unused_atoms, UnusedAtoms::Zero);           // 5.2
  EXPECT_EQ(o.update.dead_atoms, DeadAtoms::Skip);               // 5.5, where group_penalty > 0
  EXPECT_EQ(o.update.last_atom, LastAtom::Keep);                 // 5.5
  EXPECT_EQ(o.update.remove_dead, RemoveDead::Penalty);          // 5.7
  EXPECT_EQ(o.update.atom_threshold, AtomThreshold::Bisection);  // 6
  EXPECT_EQ(o.inputs, Inputs::Separate);                         // 8.1
  EXPECT_EQ(o.last_batch, LastBatch::Drop);                      // 8.1
}

class BothPresets : public ::testing::TestWithParam<Preset> {};
INSTANTIATE_TEST_SUITE_P(,
                         BothPresets,
                         ::testing::Values(Preset::Paper, Preset::Released),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST_P(BothPresets, ShareTheDefaultsOfProductMd) {
  const Options o = preset(GetParam());
  EXPECT_DOUBLE_EQ(o.birth.birth_threshold, 0.9);
  EXPECT_EQ(o.birth.births, Births::Conditional);
  EXPECT_EQ(o.birth.max_births, 50);
  EXPECT_DOUBLE_EQ(o.update.group_penalty, 0.03);
  EXPECT_EQ(o.batch_size, 200);
  EXPECT_EQ(o.seed, 0u);
  EXPECT_EQ(o.memory.memory, MemoryKind::Sum);
  EXPECT_EQ(o.passes, 1);
  EXPECT_FALSE(o.update.redraw_dead);
  EXPECT_FALSE(o.frozen);
  EXPECT_DOUBLE_EQ(o.bisection.tolerance, 1e-4);        // row 6
  EXPECT_DOUBLE_EQ(o.bisection.count_tolerance, 0.01);  // row 6
  EXPECT_TRUE(violations(o).empty());
}

TEST_P(BothPresets, CapsAtomsAtTwiceTheDimensionOrTheStart) {
  Options o = preset(GetParam());
  o.atoms = 25;
  EXPECT_EQ(resolve(o, 1024).birth.max_atoms, 2048);
  o.atoms = 700;
  EXPECT_EQ(resolve(o, 500).birth.max_atoms, 1400);
  EXPECT_EQ(resolve(o, 100000).birth.max_atoms, 16384);
  o.birth.max_atoms = 800;
  EXPECT_EQ(resolve(o, 500).birth.max_atoms, 800);
}

TEST_P(BothPresets, ResolveLeavesNothingToDerive) {
  for (const Index m : {1, 2, 10, 144, 1024, 12883}) {
    const Options o = resolve(preset(GetParam()), m);
    EXPECT_GE(o.atoms, 1) << m;
    EXPECT_TRUE(o.coding.lambda || o.coding.code_nonzeros) << m;
    EXPECT_GE(o.coding.code_nonzeros.value_or(1), 1) << m;
    EXPECT_GE(o.update.atom_nonzeros, 1) << m;
    EXPECT_LE(o.update.atom_nonzeros, m) << m;
    EXPECT_GE(o.update.max_sweeps, 1) << m;
    EXPECT_GE(o.birth.max_atoms, o.atoms) << m;
    EXPECT_TRUE(violations(o).empty()) << m;
    EXPECT_EQ(resolve(o, m), o) << "resolving twice changes nothing, m = " << m;
  }
}

TEST(Resolve, KeepsWhatIsGiven) {
  Options o;
  o.atoms = 33;
  o.coding.lambda = 0.25;
  o.update.atom_nonzeros = 4;
  o.update.max_sweeps = 3;
  const Options r = resolve(o, 100);
  EXPECT_EQ(r.atoms, 33);
  EXPECT_EQ(r.coding.lambda, 0.25);
  EXPECT_FALSE(r.coding.code_nonzeros) << "giving lambda switches the count off";
  EXPECT_EQ(r.update.atom_nonzeros, 4);
  EXPECT_EQ(r.update.max_sweeps, 3);
}

}  // namespace
}  // namespace nodl
