#include "option_table.h"

#include "json_output.h"
#include "nodl/io/model_file.h"
#include "nodl/options.h"

namespace nodl::cli {
namespace {

constexpr const char* kStream = "Stream";
constexpr const char* kSamples = "Samples";
constexpr const char* kCodes = "Codes (Alg. 1, steps 4 and 9)";
constexpr const char* kBirths = "Births (steps 5-8)";
constexpr const char* kMemory = "Memory (step 11)";
constexpr const char* kUpdate = "Dictionary update and deaths (steps 12-19)";

constexpr OptionText kTexts[] = {
    {"atoms", kStream, "Initial size of the dictionary (k)."},
    {"init", kStream, "Initial atoms: drawn at random, or samples of the first batch."},
    {"seed", kStream, "Seed of everything that is drawn."},
    {"batch_size", kStream, "Samples learned from at a time."},
    {"inputs", kStream, "Several inputs are one stream, or a training call each."},
    {"last_batch", kStream, "What becomes of a last batch that is not full."},
    {"passes", kStream, "How often the whole stream is read."},
    {"center", kSamples, "Subtract from each sample its own mean."},
    {"scale", kSamples, "Divide each sample by its norm (unit), or multiply it by a factor."},
    {"coder", kCodes, "How samples are coded."},
    {"lambda",
     kCodes,
     "Weight of the l1 norm of a code (lambda_c): 1/2 |x - D a|^2 + lambda |a|_1. Alone, it "
     "switches code-nonzeros off."},
    {"code_nonzeros", kCodes, "Nonzeros wanted in a code (beta_c). Alone, it switches lambda off."},
    {"refit", kCodes, "Least squares on the atoms that the coder chose."},
    {"atom_norm", kCodes, "How atoms are normalised for coding."},
    {"lsqr_iterations", kCodes, "Cap of LSQR where it is used; 0: none."},
    {"bisection_tolerance", kCodes, "Alg. 2: relative width at which the search stops."},
    {"bisection_count_tolerance", kCodes, "Alg. 2: share of the wanted count that it may miss by."},
    {"positive_code", kCodes, "Codes without negative numbers; only lars and cd."},
    {"births", kBirths, "Births in badly represented batches only, or in every batch."},
    {"birth_metric", kBirths, "How well a batch is represented."},
    {"birth_threshold", kBirths, "Correlation below which atoms are born (gamma)."},
    {"max_births", kBirths, "Births in one batch, at most (c_k)."},
    {"birth_init", kBirths, "What newborn atoms look like."},
    {"first_batch_births", kBirths, "Births in the first batch of a training call."},
    {"birth_rate",
     kBirths,
     "What follows a well represented batch: none, or the last number again."},
    {"max_atoms", kBirths, "Hard cap on the size of the dictionary."},
    {"memory_limit",
     kBirths,
     "Hard cap on the bytes that learning takes (docs/PARAMETERS.md), such as 512M or 2G."},
    {"memory", kMemory, "How A and B treat the past."},
    {"half_life", kMemory, "Samples after which half is forgotten; implies --memory half-life."},
    {"atom_nonzeros", kUpdate, "Nonzeros of an atom (beta_d)."},
    {"group_penalty", kUpdate, "Penalty that kills useless atoms (lambda_g)."},
    {"atom_threshold", kUpdate, "How the threshold of step 15 is found: exactly, or by Alg. 2."},
    {"unused_atoms", kUpdate, "An atom with a_jj = 0: exact minimiser, zero, or left as it is."},
    {"dead_atoms", kUpdate, "An atom that is zero at its turn."},
    {"last_atom", kUpdate, "Where all atoms are about to die: the last is kept, or dies."},
    {"remove_dead", kUpdate, "Zero atoms leave: with a group penalty, always, or never."},
    {"positive_dict", kUpdate, "Atoms without negative numbers; not with centered atoms."},
    {"max_sweeps", kUpdate, "Sweeps over the atoms, at most; 0: the authors' rule."},
    {"tolerance", kUpdate, "Largest change of an entry in a sweep at which sweeping stops."},
};

bool is_derived(const std::string& name) {
  return name == "atoms" || name == "code_nonzeros" || name == "max_atoms" ||
         name == "atom_nonzeros";
}

std::string value_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

}  // namespace

std::span<const OptionText> option_texts() { return kTexts; }

std::string default_text(const std::string& name) {
  if (is_derived(name)) return "derived from the data's width";
  if (name == "lambda" || name == "half_life" || name == "memory_limit") return "";
  const Json paper = Json::parse(io::options_to_json(preset(Preset::Paper))).at(name);
  const Json released = Json::parse(io::options_to_json(preset(Preset::Released))).at(name);
  if (paper == released) return value_text(paper);
  return value_text(paper) + "; released: " + value_text(released);
}

}  // namespace nodl::cli
