// Everything that decides what is learned. Defaults are the preset `paper`; docs/PARAMETERS.md says
// what each parameter does, its range, and what happens when it is too small or too large.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nodl/types.h"

namespace nodl {

enum class Coder { Lars, Cd, Omp, Threshold };
enum class AtomNorm { Raw, Unit, Centered };
enum class Births { Conditional, Always };
enum class BirthMetric { Pearson, Spearman };
enum class BirthInit { Random, Sample, Residual };
enum class BirthRate { Fresh, Carried };
enum class AtomThreshold { Exact, Bisection };
enum class UnusedAtoms { Exact, Zero, Keep };
enum class DeadAtoms { Update, Skip };
enum class LastAtom { Keep, Die };
enum class RemoveDead { Penalty, Always, Never };
enum class MemoryKind { Sum, Mairal, HalfLife };
enum class Inputs { Joined, Separate };
enum class LastBatch { Use, Drop };
enum class Init { Random, Sample };
enum class Precision { Float64, Float32 };
enum class Preset { Paper, Released };
/// Names of corners of the option space, not different learners; see apply_method().
enum class Method { Nodl, NodlPlus, NodlMinus, Odl, OdlStar, Random };

/// How samples are changed before anything else sees them.
struct PreprocessOptions {
  bool center = false;         // each sample minus its own mean
  bool scale_to_unit = false;  // each sample divided by its norm (after centring)
  double scale = 1.0;          // each sample times this factor

  bool operator==(const PreprocessOptions&) const = default;
};

/// Alg. 2: where the bisection for a wanted number of nonzeros stops.
struct BisectionOptions {
  double tolerance = 1e-4;        // epsilon_lambda, relative to the upper end of the interval
  double count_tolerance = 0.01;  // epsilon_beta = max(1, this * beta); 0: the exact count

  bool operator==(const BisectionOptions&) const = default;
};

/// Steps 4 and 9: codes of samples.
struct CodingOptions {
  Coder coder = Coder::Lars;
  std::optional<double> lambda{};           // lambda_c of Eq. (1): 1/2 |x - D a|^2 + lambda |a|_1
  std::optional<Index> code_nonzeros{};     // beta_c; neither given: derived from m
  bool refit = false;                       // least squares on the support that the coder chose
  AtomNorm atom_norm = AtomNorm::Centered;  // how atoms are normalised for coding
  Index lsqr_iterations = 20;               // 0: no cap
  bool positive_code = false;               // a >= 0; only lars and cd

  bool operator==(const CodingOptions&) const = default;
};

/// Steps 5-8: when atoms are born, how many, and what they look like.
struct BirthOptions {
  Births births = Births::Conditional;
  BirthMetric birth_metric = BirthMetric::Pearson;
  double birth_threshold = 0.9;  // gamma
  Index max_births = 50;         // c_k, per batch
  BirthInit birth_init = BirthInit::Random;
  bool first_batch_births = true;           // in the first batch of a training call
  BirthRate birth_rate = BirthRate::Fresh;  // Carried: the last rate stays when the test fails
  Index max_atoms = 0;                      // hard cap; 0: derived from m and atoms
  Index memory_limit = 0;  // hard cap on learning_bytes(), see footprint.h; 0: none

  bool operator==(const BirthOptions&) const = default;
};

/// Step 11: what the memories A and B keep of the past.
struct MemoryOptions {
  MemoryKind memory = MemoryKind::Sum;
  double half_life = 0;  // samples; only with MemoryKind::HalfLife

  bool operator==(const MemoryOptions&) const = default;
};

/// Steps 12-19: block coordinate descent on the dictionary.
struct UpdateOptions {
  Index atom_nonzeros = 0;      // beta_d; 0: derived from m; >= m: step 15 is skipped
  double group_penalty = 0.03;  // lambda_g
  AtomThreshold atom_threshold = AtomThreshold::Exact;  // how lambda_j of step 15 is found
  UnusedAtoms unused_atoms = UnusedAtoms::Exact;        // a_jj = 0
  DeadAtoms dead_atoms = DeadAtoms::Update;             // an atom that is zero at its turn
  LastAtom last_atom = LastAtom::Keep;                  // all atoms about to die
  RemoveDead remove_dead = RemoveDead::Penalty;         // zero atoms leave D, A, B
  bool redraw_dead = false;                             // ODL*: zero atoms are redrawn instead
  bool positive_dict = false;                           // d >= 0, also where atoms are drawn
  Index max_sweeps = 50;    // 0: floor(min(max(m / 100, 5), 20)), the authors' rule
  double tolerance = 1e-3;  // largest change of an entry of D in a sweep

  bool operator==(const UpdateOptions&) const = default;
};

struct Options {
  Index atoms = 0;  // initial size k; 0: derived from m
  Init init = Init::Random;
  std::uint64_t seed = 0;
  Index batch_size = 200;
  Inputs inputs = Inputs::Joined;         // Separate: each input is a training call of its own
  LastBatch last_batch = LastBatch::Use;  // the last, shorter batch
  Index passes = 1;                       // over the whole stream
  bool frozen = false;                    // the method `random`: read, report, change nothing
  PreprocessOptions preprocess;
  BisectionOptions bisection;
  CodingOptions coding;
  BirthOptions birth;
  MemoryOptions memory;
  UpdateOptions update;

  bool operator==(const Options&) const = default;
};

/// The two named settings of everything that the paper leaves open.
Options preset(Preset preset);

/// Turns births, deaths or redrawing off as the method says. `odl` is exactly max_births = 0 and
/// group_penalty = 0; nothing else remembers the method.
void apply_method(Options& options, Method method);
Method method_of(const Options& options);

/// Fills in what is derived from the dimension m (docs/PARAMETERS.md, "Derived defaults").
Options resolve(Options options, Index dimension);

/// All that is wrong with the options: field, value, violated bound. Empty if they are usable.
std::vector<std::string> violations(const Options& options);

/// Names of enumerators, the same in C++, on the command line, in JSON and in Python.
template <class Enum>
struct EnumNames;
#define NODL_ENUM_NAMES(Enum, count, ...)                                                          \
  template <>                                                                                      \
  struct EnumNames<Enum> {                                                                         \
    static constexpr std::array<std::pair<Enum, std::string_view>, count> table = {{__VA_ARGS__}}; \
  }
NODL_ENUM_NAMES(Coder,
                4,
                {Coder::Lars, "lars"},
                {Coder::Cd, "cd"},
                {Coder::Omp, "omp"},
                {Coder::Threshold, "threshold"});
NODL_ENUM_NAMES(AtomNorm,
                3,
                {AtomNorm::Raw, "raw"},
                {AtomNorm::Unit, "unit"},
                {AtomNorm::Centered, "centered"});
NODL_ENUM_NAMES(Births, 2, {Births::Conditional, "conditional"}, {Births::Always, "always"});
NODL_ENUM_NAMES(BirthMetric,
                2,
                {BirthMetric::Pearson, "pearson"},
                {BirthMetric::Spearman, "spearman"});
NODL_ENUM_NAMES(BirthInit,
                3,
                {BirthInit::Random, "random"},
                {BirthInit::Sample, "sample"},
                {BirthInit::Residual, "residual"});
NODL_ENUM_NAMES(BirthRate, 2, {BirthRate::Fresh, "fresh"}, {BirthRate::Carried, "carried"});
NODL_ENUM_NAMES(AtomThreshold,
                2,
                {AtomThreshold::Exact, "exact"},
                {AtomThreshold::Bisection, "bisection"});
NODL_ENUM_NAMES(UnusedAtoms,
                3,
                {UnusedAtoms::Exact, "exact"},
                {UnusedAtoms::Zero, "zero"},
                {UnusedAtoms::Keep, "keep"});
NODL_ENUM_NAMES(DeadAtoms, 2, {DeadAtoms::Update, "update"}, {DeadAtoms::Skip, "skip"});
NODL_ENUM_NAMES(LastAtom, 2, {LastAtom::Keep, "keep"}, {LastAtom::Die, "die"});
NODL_ENUM_NAMES(RemoveDead,
                3,
                {RemoveDead::Penalty, "penalty"},
                {RemoveDead::Always, "always"},
                {RemoveDead::Never, "never"});
NODL_ENUM_NAMES(MemoryKind,
                3,
                {MemoryKind::Sum, "sum"},
                {MemoryKind::Mairal, "mairal"},
                {MemoryKind::HalfLife, "half-life"});
NODL_ENUM_NAMES(Inputs, 2, {Inputs::Joined, "joined"}, {Inputs::Separate, "separate"});
NODL_ENUM_NAMES(LastBatch, 2, {LastBatch::Use, "use"}, {LastBatch::Drop, "drop"});
NODL_ENUM_NAMES(Init, 2, {Init::Random, "random"}, {Init::Sample, "sample"});
NODL_ENUM_NAMES(Precision, 2, {Precision::Float64, "float64"}, {Precision::Float32, "float32"});
NODL_ENUM_NAMES(Preset, 2, {Preset::Paper, "paper"}, {Preset::Released, "released"});
NODL_ENUM_NAMES(Method,
                6,
                {Method::Nodl, "nodl"},
                {Method::NodlPlus, "nodl+"},
                {Method::NodlMinus, "nodl-"},
                {Method::Odl, "odl"},
                {Method::OdlStar, "odl*"},
                {Method::Random, "random"});
#undef NODL_ENUM_NAMES

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [enumerator, name] : EnumNames<Enum>::table) {
    if (enumerator == value) return name;
  }
  return "?";
}

template <class Enum>
constexpr std::optional<Enum> enum_named(std::string_view wanted) {
  for (const auto& [enumerator, name] : EnumNames<Enum>::table) {
    if (name == wanted) return enumerator;
  }
  return std::nullopt;
}

/// Calls visit(name, field) for every option under the one name it has everywhere.
template <class OptionsRef, class Visitor>
void visit_options(OptionsRef& o, Visitor&& visit) {
  visit("atoms", o.atoms);
  visit("init", o.init);
  visit("seed", o.seed);
  visit("batch_size", o.batch_size);
  visit("inputs", o.inputs);
  visit("last_batch", o.last_batch);
  visit("passes", o.passes);
  visit("frozen", o.frozen);
  visit("center", o.preprocess.center);
  visit("scale_to_unit", o.preprocess.scale_to_unit);
  visit("scale", o.preprocess.scale);
  visit("coder", o.coding.coder);
  visit("lambda", o.coding.lambda);
  visit("code_nonzeros", o.coding.code_nonzeros);
  visit("refit", o.coding.refit);
  visit("atom_norm", o.coding.atom_norm);
  visit("lsqr_iterations", o.coding.lsqr_iterations);
  visit("positive_code", o.coding.positive_code);
  visit("bisection_tolerance", o.bisection.tolerance);
  visit("bisection_count_tolerance", o.bisection.count_tolerance);
  visit("births", o.birth.births);
  visit("birth_metric", o.birth.birth_metric);
  visit("birth_threshold", o.birth.birth_threshold);
  visit("max_births", o.birth.max_births);
  visit("birth_init", o.birth.birth_init);
  visit("first_batch_births", o.birth.first_batch_births);
  visit("birth_rate", o.birth.birth_rate);
  visit("max_atoms", o.birth.max_atoms);
  visit("memory_limit", o.birth.memory_limit);
  visit("memory", o.memory.memory);
  visit("half_life", o.memory.half_life);
  visit("atom_nonzeros", o.update.atom_nonzeros);
  visit("group_penalty", o.update.group_penalty);
  visit("atom_threshold", o.update.atom_threshold);
  visit("unused_atoms", o.update.unused_atoms);
  visit("dead_atoms", o.update.dead_atoms);
  visit("last_atom", o.update.last_atom);
  visit("remove_dead", o.update.remove_dead);
  visit("redraw_dead", o.update.redraw_dead);
  visit("positive_dict", o.update.positive_dict);
  visit("max_sweeps", o.update.max_sweeps);
  visit("tolerance", o.update.tolerance);
}

}  // namespace nodl
