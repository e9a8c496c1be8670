// What claims measure, computed from results.
#pragma once

#include <string>
#include <vector>

#include "studies/claims.h"

namespace nodl::study {

/// A check of claims.json, without the bound:
///   {"quantity": "value", "of": SELECTOR}
///   {"quantity": "difference" | "ratio", "of": SELECTOR, "against": SELECTOR, "at": "same start" |
///    "same size" | "same value"}
///   {"quantity": "spread", "of": SELECTOR}           range of a number over that of initial sizes
///   {"quantity": "loss from best", "of": SELECTOR}    last point of a curve minus its best
///   {"quantity": "size ratio", "of": SELECTOR, "against": SELECTOR}  size at which `of` reaches
///    the number of a point of `against`, over that point's size
/// SELECTOR: {"curve", "number", "panel", "study", "preset", "from", "to"}; study and preset are
/// the claim's if not given; from and to bound the sweep. Every quantity is taken seed by seed;
/// `what` and `expected` of the result are left empty.
CheckResult observe(const Results& results,
                    const std::string& study,
                    const std::string& preset,
                    const Json& check);

/// y at x on the line through the points, NaN outside of them. Points need not be sorted.
double interpolate(std::vector<std::pair<double, double>> points, double x);

}  // namespace nodl::study
