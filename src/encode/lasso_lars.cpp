#include "encode/lasso_lars.h"

#include <utility>

namespace nodl {

template <class Scalar>
LarsSolver<Scalar>::LarsSolver(const Matrix<Scalar>& gram, Scalar resolution, CodeSign sign)
    : simd_(simd::kernels<Scalar>()),
      G_(&gram),
      resolution_(resolution),
      allowed_sign_(sign),
      projections_(gram, resolution),
      repair_(gram, resolution, sign),
      c_(gram.rows()),
      e_(gram.rows()) {}

template <class Scalar>
void LarsSolver<Scalar>::solve(const Scalar* q,
                               const CodeTarget& target,
                               SampleCode<Scalar>& code) {
  const Index k = G_->rows();
  code.clear();
  projections_.clear();
  value_.clear();
  sign_.clear();
  z_.clear();
  tied_.clear();
  resting_.clear();
  std::copy_n(q, k, c_.begin());
  std::fill(e_.begin(), e_.end(), Scalar(0));
  const Scalar lambda_max = strongest(q, k, allowed_sign_);
  // Below this, correlations are rounding errors of the data: the path has come to its end.
  const Scalar rounding = lambda_max * kRounding * resolution_;
  const Scalar wanted = static_cast<Scalar>(target.lambda.value_or(0));
  const Scalar last = std::max(wanted, rounding);
  lambda_ = lambda_max;
  if (!(lambda_max > last) || target.nonzeros == 0) {
    code.lambda = std::max(lambda_max, wanted);
    return;
  }
  const Index most_events = 8 * k + 64;  // only rounding on degenerate data can need more
  for (Index event_count = 0; event_count < most_events; ++event_count) {
    const Event event = next_event(last);
    fall(event.step);
    if (event.kind == Event::End) {
      lambda_ = last;
      break;
    }
    if (event.kind == Event::Drop) {
      drop(event.index);
    } else if (projections_.size() == target.nonzeros) {
      break;  // one more atom would exceed the count
    } else {
      join(event.index);
    }
  }
  for (Index i = 0; i < projections_.size(); ++i) {
    code.atoms.push_back(projections_.factor().support()[i]);
  }
  code.values = value_;
  code.lambda = lambda_;
  if (certify(q, lambda_max)) {
    code.values = value_;
  } else {
    repair(q, lambda_max, target.nonzeros, code);
  }
  if (target.lambda && lambda_ == last) code.lambda = wanted;  // also where it is below rounding
  std::size_t kept = 0;
  for (std::size_t t = 0; t < code.atoms.size(); ++t) {
    if (code.values[t] == 0) continue;
    code.atoms[kept] = code.atoms[t];
    code.values[kept++] = code.values[t];
  }
  code.atoms.resize(kept);
  code.values.resize(kept);
}

// Where the first of these happens as lambda falls: another atom's correlation reaches lambda, a
// coefficient reaches 0, or lambda reaches its last value.
template <class Scalar>
typename LarsSolver<Scalar>::Event LarsSolver<Scalar>::next_event(Scalar last_lambda) {
  Event event{Event::End, -1, lambda_ - last_lambda};
  // Atoms of the support stay at +-lambda, so their step is infinite or the whole of lambda; so do
  // atoms that depend on it. Written out exactly, they need no special case in the search.
  for (Index i = 0; i < projections_.size(); ++i) {
    const Index j = projections_.factor().support()[i];
    c_[j] = sign_[i] * lambda_;
    e_[j] = sign_[i];
  }
  for (const auto& [j, sign] : tied_) {
    c_[j] = sign * lambda_;
    e_[j] = sign;
  }
  // An atom that has just come off the boundary would seem to meet it again at once.
  for (Resting& atom : resting_) {
    atom.c = std::exchange(c_[atom.index], Scalar(0));
    atom.e = std::exchange(e_[atom.index], Scalar(0));
  }
  const Scalar tiny = 4 * std::numeric_limits<Scalar>::epsilon();
  const simd::Meeting<Scalar> meeting = first_meeting(event.step);
  if (meeting.index >= 0) event = {Event::Join, meeting.index, meeting.step};
  for (const Resting& atom : resting_) {
    c_[atom.index] = atom.c;
    e_[atom.index] = atom.e;
    if (allowed_sign_ == CodeSign::NonNegative) continue;
    const Scalar away = 1 + atom.sign * atom.e;  // only the boundary on the other side counts
    const Scalar step = away > tiny ? (lambda_ + atom.sign * atom.c) / away : lambda_;
    if (step < event.step) event = {Event::Join, atom.index, step};
  }
  for (Index i = 0; i < projections_.size(); ++i) {
    if (value_[i] * direction_[i] >= 0) continue;
    const Scalar step = -value_[i] / direction_[i];
    if (step <= event.step) event = {Event::Drop, i, step};
  }
  return event;
}

// The first atom whose correlation c - t e meets lambda - t (or, where signs are free, its
// negative) before t = within.
template <class Scalar>
simd::Meeting<Scalar> LarsSolver<Scalar>::first_meeting(Scalar within) const {
  const Index k = G_->rows();
  if (allowed_sign_ == CodeSign::Any) {
    return simd_.first_meeting(c_.data(), e_.data(), k, lambda_, within);
  }
  const Scalar tiny = 4 * std::numeric_limits<Scalar>::epsilon();
  simd::Meeting<Scalar> first{-1, within};
  for (Index j = 0; j < k; ++j) {
    const Scalar closing = 1 - e_[j];
    if (!(closing > tiny)) continue;
    const Scalar step = std::max(Scalar(0), (lambda_ - c_[j]) / closing);
    if (step < first.step) first = {j, step};
  }
  return first;
}

template <class Scalar>
void LarsSolver<Scalar>::fall(Scalar step) {
  for (Index i = 0; i < projections_.size(); ++i) value_[i] += step * direction_[i];
  simd_.axpy(G_->rows(), -step, e_.data(), c_.data());
  lambda_ -= step;
  if (step > 0) resting_.clear();
}

template <class Scalar>
void LarsSolver<Scalar>::join(Index j) {
  const Scalar sign = c_[j] > 0 ? Scalar(1) : Scalar(-1);
  const Index p = projections_.size();
  if (!projections_.add(j)) {
    // Its correlation is a combination of theirs and stays at +-lambda until one of them drops.
    tied_.emplace_back(j, sign);
    return;
  }
  value_.push_back(0);
  sign_.push_back(sign);
  const Scalar* l = projections_.factor().row(p);
  Scalar z = sign;
  for (Index i = 0; i < p; ++i) z -= l[i] * z_[i];
  z /= l[p];
  z_.push_back(z);
  const Scalar* w = projections_.row(p);
  simd_.axpy(G_->rows(), z, w, e_.data());
  update_direction();
  drop_idle();
}

// Only where atoms tie: one that has just joined (its coefficient is 0) would stay there, or leave
// the way it did not come.
template <class Scalar>
void LarsSolver<Scalar>::drop_idle() {
  for (Index i = projections_.size() - 1; i >= 0; --i) {
    const Scalar still = largest_magnitude(direction_.data(), projections_.size()) * 64 *
                         std::numeric_limits<Scalar>::epsilon();
    if (value_[i] != 0 || direction_[i] * sign_[i] > still) continue;
    drop(i);
    i = projections_.size();  // directions have changed
  }
}

template <class Scalar>
void LarsSolver<Scalar>::drop(Index position) {
  resting_.push_back({projections_.factor().support()[position], sign_[position], 0, 0});
  projections_.remove(position);
  value_.erase(value_.begin() + position);
  sign_.erase(sign_.begin() + position);
  z_ = sign_;
  projections_.factor().solve_lower(z_.data());
  projections_.combine(z_.data(), e_.data());
  tied_.clear();
  update_direction();
}

template <class Scalar>
void LarsSolver<Scalar>::update_direction() {
  direction_ = z_;
  projections_.factor().solve_upper(direction_.data());
}

// Rounding on degenerate data led the path astray: solves exactly at its last lambda, or a little
// above where that takes too many atoms.
template <class Scalar>
void LarsSolver<Scalar>::repair(const Scalar* q,
                                Scalar lambda_max,
                                Index nonzeros,
                                SampleCode<Scalar>& code) {
  Scalar more = 64 * std::numeric_limits<Scalar>::epsilon();
  repair_.solve(q, lambda_, lambda_max, code);
  while (static_cast<Index>(code.atoms.size()) > nonzeros && lambda_ < lambda_max) {
    lambda_ = std::min(lambda_max, lambda_ * (1 + more));
    more *= 4;
    repair_.solve(q, lambda_, lambda_max, code);
  }
}

// Solves for the coefficients once more, free of what the steps have accumulated, and checks the
// LASSO conditions.
template <class Scalar>
bool LarsSolver<Scalar>::certify(const Scalar* q, Scalar lambda_max) {
  const Index k = G_->rows(), p = projections_.size();
  const std::vector<Index>& support = projections_.factor().support();
  Eigen::Map<Vector<Scalar>> c(c_.data(), k);
  for (int refinement = 0; refinement < 2; ++refinement) {
    c = Eigen::Map<const Vector<Scalar>>(q, k);
    for (Index i = 0; i < p; ++i) c -= value_[i] * G_->col(support[i]);
    if (refinement == 1) break;
    work_.resize(p);
    for (Index i = 0; i < p; ++i) work_[i] = c[support[i]] - lambda_ * sign_[i];
    projections_.factor().solve(work_.data());
    for (Index i = 0; i < p; ++i) value_[i] += work_[i];
  }
  const Scalar allowed = allowed_violation(lambda_, lambda_max);
  for (Index i = 0; i < p; ++i) {
    if (!(value_[i] * sign_[i] > 0)) return false;
    if (value_[i] != 0 && std::abs(c[support[i]] - lambda_ * sign_[i]) > allowed) return false;
  }
  return strongest(c_.data(), k, allowed_sign_) <= lambda_ + allowed;
}

template class LarsSolver<double>;

}  // namespace nodl
