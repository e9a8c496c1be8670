#include "encode/lasso_cd.h"

namespace nodl {
namespace {

constexpr int kMostRounds = 20;      // working sets; the exact finish takes over from any of them
constexpr int kSweepsPerRound = 30;  // over a working set before the gap is looked at again
constexpr double kGap = 1e-6;        // relative to |x|^2 / 2: good enough a start for the finish

}  // namespace

template <class Scalar>
CdSolver<Scalar>::CdSolver(const Matrix<Scalar>& gram, Scalar resolution, CodeSign sign)
    : G_(&gram),
      resolution_(resolution),
      sign_(sign),
      finish_(gram, resolution, sign),
      a_(gram.rows()),
      c_(gram.rows()) {}

template <class Scalar>
void CdSolver<Scalar>::solve(const Scalar* q,
                             Scalar square,
                             const CodeTarget& target,
                             SampleCode<Scalar>& code) {
  const Index k = G_->rows();
  code.clear();
  lambda_max_ = strongest(q, k, sign_);
  std::fill(a_.begin(), a_.end(), Scalar(0));
  // A search for a count goes no further than 1e-6 lambda_max; a given lambda is taken as it is,
  // down to where correlations are rounding errors.
  const Scalar wanted = static_cast<Scalar>(target.lambda.value_or(0));
  const Scalar rounding = static_cast<Scalar>(kRounding) * resolution_;
  const Scalar floor = lambda_max_ * (target.lambda ? rounding : std::max(rounding, Scalar(1e-6)));
  const Scalar last = std::max(wanted, floor);
  if (!(lambda_max_ > last)) {
    code.lambda = std::max(lambda_max_, wanted);
    return;
  }
  if (target.nonzeros >= k) {
    solve_at(q, square, last, code);
    if (target.lambda) code.lambda = wanted;
    return;
  }
  // Down in halves until the count is exceeded, then bisection (in the logarithm) for the smallest
  // lambda seen that keeps it. Every solution starts from the one before.
  Scalar high = lambda_max_, low = lambda_max_;
  SampleCode<Scalar> best;
  best.lambda = lambda_max_;
  while (low > last) {
    low = std::max(last, low / 2);
    solve_at(q, square, low, code);
    if (static_cast<Index>(code.atoms.size()) > target.nonzeros) break;
    best = code;
    high = low;
    if (low == last) break;
  }
  for (int halving = 0; halving < 50 && low < high; ++halving) {
    if (static_cast<Index>(best.atoms.size()) == target.nonzeros) break;
    const Scalar middle = std::sqrt(low * high);
    if (!(middle > low && middle < high) || high < low * (1 + Scalar(1e-7))) break;
    solve_at(q, square, middle, code);
    if (static_cast<Index>(code.atoms.size()) > target.nonzeros) {
      low = middle;
    } else {
      best = code;
      high = middle;
    }
  }
  code = best;
}

template <class Scalar>
void CdSolver<Scalar>::solve_at(const Scalar* q,
                                Scalar square,
                                Scalar lambda,
                                SampleCode<Scalar>& code) {
  const Index k = G_->rows();
  Eigen::Map<Vector<Scalar>> c(c_.data(), k);
  working_.clear();
  for (int round = 0; round < kMostRounds; ++round) {
    c = Eigen::Map<const Vector<Scalar>>(q, k);
    for (Index j = 0; j < k; ++j) {
      if (a_[j] != 0) c -= a_[j] * G_->col(j);
    }
    if (relative_gap(q, square, lambda) <= Scalar(kGap)) break;
    working_.clear();
    for (Index j = 0; j < k; ++j) {
      const Scalar pull = sign_ == CodeSign::Any ? std::abs(c[j]) : c[j];
      if ((a_[j] != 0 || pull > lambda) && (*G_)(j, j) > 0) working_.push_back(j);
    }
    descend(lambda);
  }
  code.clear();
  for (Index j = 0; j < k; ++j) {
    if (a_[j] == 0) continue;
    code.atoms.push_back(j);
    code.values.push_back(a_[j]);
  }
  finish_.solve(q, lambda, lambda_max_, code);
  std::fill(a_.begin(), a_.end(), Scalar(0));
  for (std::size_t t = 0; t < code.atoms.size(); ++t) a_[code.atoms[t]] = code.values[t];
}

// Coordinate descent over the working set: a_j <- soft(c_j + g_jj a_j, lambda) / g_jj, or 0 where
// that has a forbidden sign.
template <class Scalar>
void CdSolver<Scalar>::descend(Scalar lambda) {
  const Index w = static_cast<Index>(working_.size());
  local_.resize(w);
  for (Index i = 0; i < w; ++i) local_[i] = c_[working_[i]];
  for (int sweep = 0; sweep < kSweepsPerRound; ++sweep) {
    Scalar largest = 0;
    for (Index i = 0; i < w; ++i) {
      const Index j = working_[i];
      const Scalar* g = G_->col(j).data();
      const Scalar u = local_[i] + g[j] * a_[j];
      const Scalar pull = sign_ == CodeSign::Any ? std::abs(u) : u;
      const Scalar size = std::max(Scalar(0), pull - lambda);
      const Scalar change = std::copysign(size, u) / g[j] - a_[j];
      if (change == 0) continue;
      a_[j] += change;
      for (Index t = 0; t < w; ++t) local_[t] -= change * g[working_[t]];
      largest = std::max(largest, change * change * g[j]);
    }
    if (largest <= Scalar(1e-2) * Scalar(kGap) * lambda * lambda) break;
  }
}

// With r = x - D a and the dual point s r, s = min(1, lambda / max |d_j'r|) (max d_j'r if a >= 0):
// gap = 1/2 |r|^2 (1 + s^2) + lambda |a|_1 - s x'r, everything from q, c and |x|^2.
template <class Scalar>
Scalar CdSolver<Scalar>::relative_gap(const Scalar* q, Scalar square, Scalar lambda) const {
  const Index k = G_->rows();
  if (!(square > 0)) return 0;
  Scalar fit = 0, slack = 0, length = 0;  // a'q, a'c, |a|_1
  for (Index j = 0; j < k; ++j) {
    fit += a_[j] * q[j];
    slack += a_[j] * c_[j];
    length += std::abs(a_[j]);
  }
  const Scalar residual = std::max(Scalar(0), square - fit - slack);  // |x|^2 - 2 a'q + a'G a
  const Scalar overlap = square - fit;                                // x'r
  const Scalar steepest = strongest(c_.data(), k, sign_);
  const Scalar s = steepest > lambda ? lambda / steepest : Scalar(1);
  const Scalar gap = residual * (1 + s * s) / 2 + lambda * length - s * overlap;
  return gap / (square / 2);
}

template class CdSolver<double>;

}  // namespace nodl
