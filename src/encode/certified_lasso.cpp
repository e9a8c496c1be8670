#include "encode/certified_lasso.h"

#include <limits>
#include <type_traits>

namespace nodl {
namespace {

constexpr Index kDeepest = 512;
constexpr int kRefinements = 5;
constexpr int kCorrections = 4;  // of a support that float32 could not tell from the right one
// How far refined codes are from the conditions, in shares of lambda: the goal, that at the end of
// a path (whose lambda is found from it), and what is good enough where rounding is in the way.
constexpr double kExact = 1e-10;
constexpr double kExactEnd = 1e-12;
constexpr double kGoodEnough = 1e-8;
// An atom this far from the boundary, in shares of lambda, is inside without another look: float32
// correlations are right to half of that,
constexpr float kClose = 1e-3F;
// because this is how many units of float32, relative to the sample, they are wrong.
constexpr float kUnits = 4 * std::numeric_limits<float>::epsilon();
// Squares of what is sought must neither overflow nor vanish in float32.
constexpr double kLeastLambda = 1e-15;
constexpr double kMostLambda = 1e15;

/// False if float32 cannot tell atoms at the boundary from others.
bool resolves(double lambda, float norm) {
  return lambda >= kLeastLambda && lambda <= kMostLambda &&
         kUnits * norm <= kClose / 2 * static_cast<float>(lambda);
}

}  // namespace

template <class Scalar>
CertifiedLasso<Scalar>::CertifiedLasso(const CodingDictionary<Scalar>& dictionary,
                                       const Matrix<float>& gram,
                                       const Matrix<Scalar>* exact_gram,
                                       const CodeTarget& target)
    : target_(target), support_(dictionary, exact_gram), close_(dictionary.size()) {
  if (target.nonzeros >= dictionary.size()) {
    at_lambda_ = std::make_unique<LassoSearch>(gram);
  } else {
    to_count_ = std::make_unique<PathSearch>(gram, target.nonzeros);
  }
}

template <class Scalar>
bool CertifiedLasso<Scalar>::too_deep(const CodeTarget& target, Index k) {
  return target.nonzeros < k ? target.nonzeros > kDeepest : !target.lambda;
}

template <class Scalar>
bool CertifiedLasso<Scalar>::solve(
    const Scalar* x, const Scalar* exact_q, const float* q, float norm, SampleCode<Scalar>& code) {
  code.clear();
  if (at_lambda_ && !resolves(*target_.lambda, norm)) return false;
  if (!(at_lambda_ ? at_lambda(x, exact_q, q) : to_count(x, exact_q, q))) return false;
  if (!resolves(lambda_, norm)) return false;
  code.atoms.assign(atoms_.begin(), atoms_.end());
  code.values = values_;
  code.lambda = static_cast<Scalar>(lambda_);
  return true;
}

// In float32 the searches themselves reach what rounding allows; only float64 is refined.
template <class Scalar>
bool CertifiedLasso<Scalar>::at_lambda(const Scalar* x, const Scalar* exact_q, const float* q) {
  LassoSearch& search = *at_lambda_;
  if (!search.solve(q, static_cast<float>(*target_.lambda))) return false;
  take(search, *target_.lambda);
  if constexpr (std::is_same_v<Scalar, float>) return true;
  for (int correction = 0; correction <= kCorrections; ++correction) {
    support_.start(x, exact_q, atoms_);
    if (!refine(search, kExact)) return false;
    if (const Index wrong = wrong_sign(search); wrong >= 0) {
      search.dismiss(wrong);
    } else if (const RowIndex missing = violator(search); missing >= 0) {
      if (!search.admit(missing, static_cast<float>(support_.correlation(missing)))) return false;
    } else {
      return true;
    }
    take(search, *target_.lambda);
  }
  return false;
}

template <class Scalar>
bool CertifiedLasso<Scalar>::to_count(const Scalar* x, const Scalar* exact_q, const float* q) {
  PathSearch& path = *to_count_;
  if (!path.solve(q, target_)) return false;
  const bool ends_at_lambda = path.next_atom() < 0;
  take(path, ends_at_lambda ? *target_.lambda : static_cast<double>(path.lambda()));
  if constexpr (std::is_same_v<Scalar, float>) return true;
  support_.start(x, exact_q, atoms_);
  if (!refine(path, kExactEnd) || wrong_sign(path) >= 0) return false;
  // float32 knows the end of the path to 1e-6 or so; now to where the next atom joins exactly.
  const RowIndex next = path.next_atom();
  for (int round = 0; !ends_at_lambda && round < kRefinements; ++round) {
    const double c = support_.correlation(next);
    const double outward = c > 0 ? path.next_slope() : -path.next_slope();
    if (!(outward < 1)) return false;
    const double step = (lambda_ - std::abs(c)) / (1 - outward);
    if (std::abs(step) <= kExactEnd * lambda_) break;
    lambda_ -= step;
    if (!refine(path, kExactEnd)) return false;
  }
  return wrong_sign(path) < 0 && violator(path) < 0;
}

template <class Scalar>
template <class Search>
void CertifiedLasso<Scalar>::take(const Search& search, double lambda) {
  lambda_ = lambda;
  atoms_.clear();
  values_.clear();
  for (Index i = 0; i < search.size(); ++i) {
    atoms_.push_back(search.atom(i));
    values_.push_back(search.value(i));
  }
}

// Newton's method on the support: the gradient is exact, the factor of G_AA a float32 one. Each
// round multiplies the error by about 1e-6 times the condition number.
template <class Scalar>
template <class Search>
bool CertifiedLasso<Scalar>::refine(const Search& search, double goal) {
  const Index p = search.size();
  gradient_.resize(p);
  correction_.resize(p);
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0;; ++round) {
    support_.evaluate(values_.data(), gradient_.data());
    double distance = 0;
    for (Index i = 0; i < p; ++i) {
      gradient_[i] -= static_cast<Scalar>(lambda_ * search.sign(i));
      distance = std::max(distance, std::abs(static_cast<double>(gradient_[i])));
    }
    if (distance <= goal * lambda_) break;
    if (distance > last / 4 || round == kRefinements) {
      if (distance <= kGoodEnough * lambda_) break;
      return false;
    }
    last = distance;
    for (Index i = 0; i < p; ++i) correction_[i] = static_cast<float>(gradient_[i]);
    search.solve_support(correction_.data());
    for (Index i = 0; i < p; ++i) values_[i] += static_cast<Scalar>(correction_[i]);
  }
  return true;
}

// The number of an atom of the support with a coefficient of the wrong sign, or -1.
template <class Scalar>
template <class Search>
Index CertifiedLasso<Scalar>::wrong_sign(const Search& search) const {
  for (Index i = 0; i < search.size(); ++i) {
    if (!(values_[i] * static_cast<Scalar>(search.sign(i)) > 0)) return i;
  }
  return -1;
}

// An atom that violates the conditions, or -1: those that float32 cannot tell from violators,
// looked at one by one.
template <class Scalar>
template <class Search>
RowIndex CertifiedLasso<Scalar>::violator(const Search& search) {
  const AlignedVector<float>& c = search.correlations();
  const Index k = static_cast<Index>(c.size());
  const float limit = (1 - kClose) * static_cast<float>(lambda_);
  const Index count = simd::kernels<float>().above(c.data(), k, limit, close_.data(), k);
  if (count == search.size()) return -1;  // the support itself
  const double most = lambda_ + allowed_violation<double>(lambda_, 0);
  for (Index t = 0; t < count; ++t) {
    if (std::abs(static_cast<double>(support_.correlation(close_[t]))) > most) return close_[t];
  }
  return -1;
}

template class CertifiedLasso<double>;
template class CertifiedLasso<float>;

}  // namespace nodl
