// Options: what each preset says on every point that the paper and the released code differ on,
// methods as corners of the option space, derived defaults, and violations.
#include "nodl/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace nodl {
namespace {

// Numbers in comments are rows of PAPER_VS_CODE.
TEST(PresetPaper, PinsEveryRow) {
  const Options o = preset(Preset::Paper);
  EXPECT_EQ(o.coding.coder, Coder::Lars);                     // 2.1
  EXPECT_EQ(o.coding.lsqr_iterations, 20);                    // 2.1
  EXPECT_FALSE(o.coding.refit);                               // 2.1
  EXPECT_EQ(o.coding.atom_norm, AtomNorm::Centered);          // 2.3
  EXPECT_EQ(o.birth.birth_metric, BirthMetric::Pearson);      // 3.1
  EXPECT_TRUE(o.birth.first_batch_births);                    // 3.3
  EXPECT_EQ(o.birth.birth_rate, BirthRate::Fresh);            // 3.4
  EXPECT_EQ(o.birth.birth_init, BirthInit::Random);           // 3.5
  EXPECT_EQ(o.init, Init::Random);                            // 3.5
  EXPECT_GT(o.update.max_sweeps, 20);                         // 5.1: until convergence
  EXPECT_LT(o.update.tolerance, 1e-2);                        // 5.1
  EXPECT_EQ(o.update.unused_atoms, UnusedAtoms::Exact);       // 5.2
  EXPECT_EQ(o.update.dead_atoms, DeadAtoms::Update);          // 5.5
  EXPECT_EQ(o.update.last_atom, LastAtom::Keep);              // 5.5
  EXPECT_EQ(o.update.remove_dead, RemoveDead::Penalty);       // 5.7
  EXPECT_EQ(o.update.atom_threshold, AtomThreshold::Exact);   // 6
  EXPECT_EQ(o.inputs, Inputs::Joined);                        // 8.1
  EXPECT_EQ(o.last_batch, LastBatch::Use);                    // 8.1
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
INSTANTIATE_TEST_SUITE_P(, BothPresets, ::testing::Values(Preset::Paper, Preset::Released),
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
  EXPECT_DOUBLE_EQ(o.bisection.tolerance, 1e-4);         // row 6
  EXPECT_DOUBLE_EQ(o.bisection.count_tolerance, 0.01);   // row 6
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

class EveryMethod : public ::testing::TestWithParam<std::tuple<Preset, Method>> {};
INSTANTIATE_TEST_SUITE_P(
    , EveryMethod,
    ::testing::Combine(::testing::Values(Preset::Paper, Preset::Released),
                       ::testing::Values(Method::Nodl, Method::NodlPlus, Method::NodlMinus,
                                         Method::Odl, Method::OdlStar, Method::Random)));

TEST_P(EveryMethod, IsReadBackFromTheOptions) {
  Options o = preset(std::get<0>(GetParam()));
  apply_method(o, std::get<1>(GetParam()));
  EXPECT_EQ(method_of(o), std::get<1>(GetParam()));
  EXPECT_TRUE(violations(o).empty());
}

TEST(Methods, OdlIsNoBirthsAndNoGroupPenaltyAndNothingElse) {
  Options odl = preset(Preset::Paper);
  Options nodl = odl;
  apply_method(odl, Method::Odl);
  nodl.birth.max_births = 0;
  nodl.update.group_penalty = 0;
  EXPECT_EQ(odl, nodl);
}

TEST(Methods, NodlLeavesTheOptionsAsTheyAre) {
  Options o = preset(Preset::Paper);
  const Options before = o;
  apply_method(o, Method::Nodl);
  EXPECT_EQ(o, before);
}

TEST(Methods, PlusHasNoDeathsAndMinusNoBirths) {
  Options plus, minus;
  apply_method(plus, Method::NodlPlus);
  apply_method(minus, Method::NodlMinus);
  EXPECT_EQ(plus.birth.max_births, 50);
  EXPECT_EQ(plus.update.group_penalty, 0);
  EXPECT_EQ(minus.birth.max_births, 0);
  EXPECT_DOUBLE_EQ(minus.update.group_penalty, 0.03);
}

template <class Change>
std::vector<std::string> violations_after(Change change) {
  Options o;
  change(o);
  return violations(o);
}

TEST(Violations, NameTheFieldAndTheValue) {
  const auto found = violations_after([](Options& o) { o.batch_size = -3; });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("batch_size"), std::string::npos);
  EXPECT_NE(found[0].find("-3"), std::string::npos);
}

TEST(Violations, AllAreReportedAtOnce) {
  const auto found = violations_after([](Options& o) {
    o.batch_size = 0;
    o.birth.birth_threshold = 2;
    o.update.group_penalty = -1;
  });
  EXPECT_EQ(found.size(), 3u);
}

TEST(Violations, EveryRangeIsChecked) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto broken = [](auto change) { return !violations_after(change).empty(); };
  EXPECT_TRUE(broken([](Options& o) { o.atoms = -1; }));
  EXPECT_TRUE(broken([](Options& o) { o.passes = 0; }));
  EXPECT_TRUE(broken([](Options& o) { o.preprocess.scale = 0; }));
  EXPECT_TRUE(broken([&](Options& o) { o.preprocess.scale = nan; }));
  EXPECT_TRUE(broken([](Options& o) { o.coding.lambda = -0.1; }));
  EXPECT_TRUE(broken([&](Options& o) { o.coding.lambda = nan; }));
  EXPECT_TRUE(broken([&](Options& o) { o.coding.lambda = inf; }));
  EXPECT_TRUE(broken([](Options& o) { o.coding.code_nonzeros = 0; }));
  EXPECT_TRUE(broken([](Options& o) { o.coding.lsqr_iterations = -1; }));
  EXPECT_TRUE(broken([](Options& o) { o.bisection.tolerance = 0; }));
  EXPECT_TRUE(broken([](Options& o) { o.bisection.count_tolerance = -1; }));
  EXPECT_TRUE(broken([&](Options& o) { o.birth.birth_threshold = nan; }));
  EXPECT_TRUE(broken([](Options& o) { o.birth.max_births = -1; }));
  EXPECT_TRUE(broken([](Options& o) { o.birth.max_atoms = -1; }));
  EXPECT_TRUE(broken([](Options& o) {
    o.atoms = 10;
    o.birth.max_atoms = 9;
  }));
  EXPECT_TRUE(broken([](Options& o) { o.memory.memory = MemoryKind::HalfLife; }));
  EXPECT_TRUE(broken([](Options& o) { o.update.atom_nonzeros = -1; }));
  EXPECT_TRUE(broken([&](Options& o) { o.update.group_penalty = inf; }));
  EXPECT_TRUE(broken([](Options& o) { o.update.max_sweeps = -1; }));
  EXPECT_TRUE(broken([&](Options& o) { o.update.tolerance = nan; }));
}

TEST(Violations, LambdaWithOmpIsAUsageError) {
  EXPECT_FALSE(violations_after([](Options& o) {
                 o.coding.coder = Coder::Omp;
                 o.coding.lambda = 0.1;
               }).empty());
}

TEST(Violations, HalfLifeIsFineWithALength) {
  EXPECT_TRUE(violations_after([](Options& o) {
                o.memory.memory = MemoryKind::HalfLife;
                o.memory.half_life = 1000;
              }).empty());
}

TEST(Names, RoundTripForEveryEnumerator) {
  for (const auto& [value, name] : EnumNames<Method>::table) EXPECT_EQ(enum_named<Method>(name), value);
  for (const auto& [value, name] : EnumNames<Coder>::table) EXPECT_EQ(enum_named<Coder>(name), value);
  EXPECT_EQ(name_of(Method::OdlStar), "odl*");
  EXPECT_EQ(name_of(MemoryKind::HalfLife), "half-life");
  EXPECT_FALSE(enum_named<Coder>("lasso"));
}

TEST(Names, EveryOptionHasItsOwn) {
  Options o;
  std::set<std::string> names;
  int count = 0;
  visit_options(o, [&](const char* name, auto&) {
    names.insert(name);
    ++count;
  });
  EXPECT_EQ(static_cast<int>(names.size()), count);
  for (const char* name : {"atoms", "batch_size", "code_nonzeros", "lambda", "atom_nonzeros",
                           "birth_threshold", "max_births", "group_penalty", "seed"}) {
    EXPECT_TRUE(names.count(name)) << name;
  }
}

// How many fields an aggregate has: the most initialisers it takes.
struct Anything {
  template <class T>
  operator T() const;
};
template <class Aggregate, class... Initialisers>
constexpr int field_count() {
  if constexpr (requires { Aggregate{Initialisers{}..., Anything{}}; }) {
    return field_count<Aggregate, Initialisers..., Anything>();
  } else {
    return sizeof...(Initialisers);
  }
}

// A field that visit_options forgot would be lost in model files and on the command line.
TEST(Names, VisitReachesEveryField) {
  constexpr int kGroups = 6;  // of Options, whose fields count instead
  constexpr int kFields = field_count<Options>() - kGroups + field_count<PreprocessOptions>() +
                          field_count<BisectionOptions>() + field_count<CodingOptions>() +
                          field_count<BirthOptions>() + field_count<MemoryOptions>() +
                          field_count<UpdateOptions>();
  Options o;
  int visited = 0;
  visit_options(o, [&](const char*, auto&) { ++visited; });
  EXPECT_EQ(visited, kFields);
}

}  // namespace
}  // namespace nodl
