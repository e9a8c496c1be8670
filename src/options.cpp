#include "nodl/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace nodl {

Options preset(Preset preset) {
  Options o;
  if (preset == Preset::Released) {                      // rows of PAPER_VS_CODE in brackets
    o.coding.coder = Coder::Threshold;                   // [2.1]
    o.coding.atom_norm = AtomNorm::Centered;             // [2.3]
    o.birth.birth_metric = BirthMetric::Spearman;        // [3.1]
    o.birth.first_batch_births = false;                  // [3.3]
    o.birth.birth_rate = BirthRate::Carried;             // [3.4]
    o.update.max_sweeps = 0;                             // [5.1]
    o.update.tolerance = 1e-2;                           // [5.1]
    o.update.unused_atoms = UnusedAtoms::Zero;           // [5.2]
    o.update.dead_atoms = DeadAtoms::Skip;               // [5.5]
    o.update.last_atom = LastAtom::Keep;                 // [5.5]
    o.update.remove_dead = RemoveDead::Penalty;          // [5.7]
    o.update.atom_threshold = AtomThreshold::Bisection;  // [6]
    o.inputs = Inputs::Separate;                         // [8.1]
    o.last_batch = LastBatch::Drop;                      // [8.1]
  }
  return o;
}

void apply_method(Options& options, Method method) {
  const bool births = method == Method::Nodl || method == Method::NodlPlus;
  const bool deaths = method == Method::Nodl || method == Method::NodlMinus;
  if (!births) options.birth.max_births = 0;
  if (!deaths) options.update.group_penalty = 0;
  options.update.redraw_dead = method == Method::OdlStar;
  options.frozen = method == Method::Random;
}

Method method_of(const Options& o) {
  if (o.frozen) return Method::Random;
  if (o.update.redraw_dead) return Method::OdlStar;
  if (o.birth.max_births > 0) {
    return o.update.group_penalty > 0 ? Method::Nodl : Method::NodlPlus;
  }
  return o.update.group_penalty > 0 ? Method::NodlMinus : Method::Odl;
}

Options resolve(Options o, Index m) {
  // Caps for large m: there samples are sparse, and atoms and codes that grew with m would only
  // cost.
  const double root = std::sqrt(static_cast<double>(m));
  if (o.atoms == 0) {
    o.atoms = std::clamp<Index>(m / 10, 10, 100);
    if (o.birth.max_atoms > 0) o.atoms = std::min(o.atoms, o.birth.max_atoms);
  }
  if (!o.coding.lambda && !o.coding.code_nonzeros) {
    o.coding.code_nonzeros = std::min<Index>(128, std::lround(4 * root));
  }
  if (o.update.atom_nonzeros == 0) {
    o.update.atom_nonzeros = std::min<Index>({m, 100, std::lround(3 * root)});
  }
  if (o.birth.max_atoms == 0) {
    o.birth.max_atoms = std::max(o.atoms, std::min<Index>(16384, 2 * std::max(m, o.atoms)));
  }
  if (o.update.max_sweeps == 0) {
    const double rule = std::min(std::max(0.01 * static_cast<double>(m), 5.0), 20.0);
    o.update.max_sweeps = static_cast<Index>(rule);
  }
  return o;
}

std::vector<std::string> violations(const Options& o) {
  std::vector<std::string> found;
  const auto require =
      [&](bool holds, const char* name, const auto& value, std::string_view bound) {
        if (holds) return;
        std::ostringstream text;
        text << name << " is " << value << ", must be " << bound;
        found.push_back(text.str());
      };
  // Atoms are numbered by RowIndex; no other count has a use beyond it, and sums of two of them
  // cannot overflow.
  const auto count = [&](const char* name, Index value, Index least, const char* bound) {
    require(value >= least, name, value, bound);
    require(value <= std::numeric_limits<RowIndex>::max(), name, value, "below 2^31");
  };
  const auto finite_at_least_0 = [](double x) { return std::isfinite(x) && x >= 0; };
  count("atoms", o.atoms, 0, "at least 1");
  count("batch_size", o.batch_size, 1, "at least 1");
  count("passes", o.passes, 1, "at least 1");
  require(std::isfinite(o.preprocess.scale) && o.preprocess.scale != 0,
          "scale",
          o.preprocess.scale,
          "finite and not 0");
  if (o.coding.lambda) {
    require(finite_at_least_0(*o.coding.lambda), "lambda", *o.coding.lambda, "finite and >= 0");
    require(o.coding.coder != Coder::Omp,
            "lambda",
            *o.coding.lambda,
            "absent with the coder omp, which needs code_nonzeros");
  }
  if (o.coding.code_nonzeros) {
    count("code_nonzeros", *o.coding.code_nonzeros, 1, "at least 1");
  }
  if (o.coding.positive_code) {
    require(o.coding.coder == Coder::Lars || o.coding.coder == Coder::Cd,
            "positive_code",
            "on",
            "off with the coders omp and threshold");
    require(!o.coding.refit, "positive_code", "on", "off with refit, which may change signs");
  }
  count("lsqr_iterations", o.coding.lsqr_iterations, 0, "at least 0");
  require(o.bisection.tolerance > 0 && o.bisection.tolerance < 1,
          "bisection_tolerance",
          o.bisection.tolerance,
          "between 0 and 1");
  require(finite_at_least_0(o.bisection.count_tolerance),
          "bisection_count_tolerance",
          o.bisection.count_tolerance,
          "at least 0");
  require(o.birth.birth_threshold >= -1 && o.birth.birth_threshold <= 1,
          "birth_threshold",
          o.birth.birth_threshold,
          "between -1 and 1");
  count("max_births", o.birth.max_births, 0, "at least 0");
  count("max_atoms", o.birth.max_atoms, 0, "at least 1");
  require(o.birth.max_atoms == 0 || o.birth.max_atoms >= o.atoms,
          "max_atoms",
          o.birth.max_atoms,
          "at least " + std::to_string(o.atoms) + ", which is atoms");
  require(o.birth.memory_limit >= 0, "memory_limit", o.birth.memory_limit, "at least 0");
  require(o.memory.memory != MemoryKind::HalfLife ||
              (std::isfinite(o.memory.half_life) && o.memory.half_life > 0),
          "half_life",
          o.memory.half_life,
          "above 0");
  count("atom_nonzeros", o.update.atom_nonzeros, 0, "at least 1");
  require(finite_at_least_0(o.update.group_penalty),
          "group_penalty",
          o.update.group_penalty,
          "finite and >= 0");
  require(!o.update.positive_dict || o.coding.atom_norm != AtomNorm::Centered,
          "positive_dict",
          "on",
          "off with atom_norm centered, which makes atoms negative");
  count("max_sweeps", o.update.max_sweeps, 0, "at least 0");
  require(
      finite_at_least_0(o.update.tolerance), "tolerance", o.update.tolerance, "finite and >= 0");
  return found;
}

}  // namespace nodl
