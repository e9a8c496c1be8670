// The paper's statements as tests: claims.json fixes the quantity and the margin before anything is
// run, and the verdict follows from the results.
#pragma once

#include <string>
#include <vector>

#include "studies/results.h"

namespace nodl::study {

enum class Verdict { Holds, HoldsInPart, DoesNotHold, NotTested };
const char* name_of(Verdict verdict);

/// One number that a claim says something about.
struct Observation {
  std::string where;  // "NODL, atoms 25"
  double value = 0;
  double half_width = 0;  // of its 95 % confidence interval, 0 for one seed
  bool agrees = false;
  /// The confidence interval lies wholly on one side of every bound; always so for one seed.
  bool decided = true;
};

/// One line of a claim: a quantity and its bound.
struct CheckResult {
  std::string what;      // "Pearson on oxford: NODL minus ODL at the same final size"
  std::string expected;  // "at least 0.02"
  std::vector<Observation> observations;
  /// Points without a value: the other curve has nothing at their place.
  std::vector<std::string> not_comparable;
  /// Panels (a value of a parameter, an order) of which no point has a value.
  std::vector<std::string> untested;
};

struct ClaimResult {
  std::string id;
  std::string place;  // in the paper
  std::string statement;
  std::string study;
  std::string preset;
  std::string remark;
  std::vector<CheckResult> checks;
  Verdict verdict = Verdict::NotTested;

  /// "8 of 9 values agree; NODL minus ODL 0.02 … 0.31"
  std::string numbers() const;
};

/// All claims about the studies of the results, for each preset.
std::vector<ClaimResult> judge(const Results& results);

/// All decided observations agree: holds; half of them or more: in part. Where seeds scatter so
/// much that none is decided, means count. What was not tested in every panel holds in part at
/// most: claims speak of all of them.
Verdict verdict_of(const std::vector<CheckResult>& checks);

Json to_json(const ClaimResult& claim);

}  // namespace nodl::study
