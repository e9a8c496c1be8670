// The authors' own numbers (authors_values.json names their source), and how near ours are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "studies/results.h"

namespace nodl::study {

/// A curve of a figure file that the authors stored: numbers in the order of the points.
using AuthorsCurve = std::map<std::string, std::vector<double>>;

/// Where a study's curve comes from in the authors' material; nothing if it is not there.
const AuthorsCurve* stored_curve(const CurveResult& curve);

/// Where the values come from.
std::string authors_source();

/// Our preset `released` beside runs of the authors' code on the same data. A run that several
/// figures show counts for the first of them only.
struct Agreement {
  std::string study;
  std::string figures;
  std::string number;  // "pearson.oxford"
  int compared = 0;
  int within = 0;  // max(0.02, two seed deviations); 0.03 for words
  double worst = 0;
  std::string worst_where;
  double mean = 0;  // of ours minus theirs
  // Pairs of curves at one initial size that differ by more than the limit in the authors' runs.
  int orders = 0;
  int same_orders = 0;
};
std::vector<Agreement> agreement(const Results& results);

}  // namespace nodl::study
