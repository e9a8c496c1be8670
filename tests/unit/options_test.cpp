// Options: methods as corners of the option space, violations, and names.
#include "nodl/options.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace nodl {
namespace {

class EveryMethod : public ::testing::TestWithParam<std::tuple<Preset, Method>> {};
INSTANTIATE_TEST_SUITE_P(,
                         EveryMethod,
                         ::testing::Combine(::testing::Values(Preset::Paper, Preset::Released),
                                            ::testing::Values(Method::Nodl,
                                                              Method::NodlPlus,
                                                              Method::NodlMinus,
                                                              Method::Odl,
                                                              Method::OdlStar,
                                                              Method::Random)));

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
  for (const auto& [value, name] : EnumNames<Method>::table)
    EXPECT_EQ(enum_named<Method>(name), value);
  for (const auto& [value, name] : EnumNames<Coder>::table)
    EXPECT_EQ(enum_named<Coder>(name), value);
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
  for (const char* name : {"atoms",
                           "batch_size",
                           "code_nonzeros",
                           "lambda",
                           "atom_nonzeros",
                           "birth_threshold",
                           "max_births",
                           "group_penalty",
                           "seed"}) {
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
