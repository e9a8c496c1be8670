#include "encode/active_set.h"

namespace nodl {

template <class Scalar>
ActiveSetSolver<Scalar>::ActiveSetSolver(const Matrix<Scalar>& gram,
                                         Scalar resolution,
                                         CodeSign sign)
    : G_(&gram), allowed_sign_(sign), factor_(gram, resolution), gradient_(gram.rows()) {}

template <class Scalar>
void ActiveSetSolver<Scalar>::drop_position(Index position) {
  factor_.remove(position);
  value_.erase(value_.begin() + position);
  sign_.erase(sign_.begin() + position);
}

// Atom j, with coefficient `value`, is a combination of the support: d_j = D_A w. Moving by
// t (w, -1) leaves the reconstruction as it is. Goes on in the direction `way` (the sign of t)
// until the first coefficient is 0, whose atom then stays out. False if none ever is.
template <class Scalar>
bool ActiveSetSolver<Scalar>::exchange(Index j, Scalar value, Scalar way) {
  const Index p = factor_.size();
  Scalar step = way * value > 0 ? std::abs(value) : std::numeric_limits<Scalar>::infinity();
  Index leaving = -1;  // j itself
  for (Index i = 0; i < p; ++i) {
    const Scalar reach = -value_[i] / (way * work_[i]);
    if (reach >= 0 && reach < step) {
      step = reach;
      leaving = i;
    }
  }
  if (!std::isfinite(step)) return false;
  for (Index i = 0; i < p; ++i) value_[i] += way * step * work_[i];
  if (leaving < 0) return true;
  drop_position(leaving);
  const Scalar rest = value - way * step;
  if (rest == 0 || !factor_.add(j)) return true;
  value_.push_back(rest);
  sign_.push_back(rest > 0 ? Scalar(1) : Scalar(-1));
  return true;
}

// work_ = w with d_j = D_A w; returns s'w, the slope of |a_A|_1 along w.
template <class Scalar>
Scalar ActiveSetSolver<Scalar>::express(Index j) {
  const Index p = factor_.size();
  work_.resize(p);
  for (Index i = 0; i < p; ++i) work_[i] = (*G_)(factor_.support()[i], j);
  factor_.solve(work_.data());
  Scalar slope = 0;
  for (Index i = 0; i < p; ++i) slope += sign_[i] * work_[i];
  return slope;
}

template <class Scalar>
void ActiveSetSolver<Scalar>::start_from(const SampleCode<Scalar>& code) {
  factor_.clear();
  value_.clear();
  sign_.clear();
  for (std::size_t t = 0; t < code.atoms.size(); ++t) {
    if (code.values[t] == 0) continue;
    if (factor_.add(code.atoms[t])) {
      value_.push_back(code.values[t]);
      sign_.push_back(code.values[t] > 0 ? Scalar(1) : Scalar(-1));
    } else if ((*G_)(code.atoms[t], code.atoms[t]) > 0) {
      const Scalar value = code.values[t];
      const Scalar slope = express(code.atoms[t]) - (value > 0 ? Scalar(1) : Scalar(-1));
      exchange(code.atoms[t], value, slope > 0 ? Scalar(-1) : Scalar(1));
    }
  }
}

// One step of iterative refinement of G_AA a = q_A - lambda s.
template <class Scalar>
void ActiveSetSolver<Scalar>::refine(const Scalar* q, Scalar lambda) {
  const Index p = factor_.size();
  const std::vector<Index>& support = factor_.support();
  work_.resize(p);
  for (Index i = 0; i < p; ++i) work_[i] = q[support[i]] - lambda * sign_[i];
  for (Index t = 0; t < p; ++t) {
    const Scalar* g = G_->col(support[t]).data();
    for (Index i = 0; i < p; ++i) work_[i] -= value_[t] * g[support[i]];
  }
  factor_.solve(work_.data());
  for (Index i = 0; i < p; ++i) value_[i] += work_[i];
}

// Refinement can carry a coefficient that is zero but for rounding across zero; its atom leaves.
template <class Scalar>
bool ActiveSetSolver<Scalar>::drop_wrong_signs() {
  const Index before = factor_.size();
  for (Index i = before - 1; i >= 0; --i) {
    if (!(value_[i] * sign_[i] > 0)) drop_position(i);
  }
  return factor_.size() < before;
}

// Goes to the minimiser for the present support and signs, or to the first coefficient that would
// change its sign, which leaves. True when the minimiser was reached.
template <class Scalar>
bool ActiveSetSolver<Scalar>::to_minimiser(const Scalar* q, Scalar lambda) {
  const Index p = factor_.size();
  const std::vector<Index>& support = factor_.support();
  work_.resize(p);
  for (Index i = 0; i < p; ++i) work_[i] = q[support[i]] - lambda * sign_[i];
  factor_.solve(work_.data());
  Scalar step = 1;
  Index leaving = -1;
  for (Index i = 0; i < p; ++i) {
    if (work_[i] * sign_[i] > 0) continue;
    const Scalar reach = value_[i] == 0 ? Scalar(0) : value_[i] / (value_[i] - work_[i]);
    if (reach < step || leaving < 0) {
      step = std::min(reach, step);
      leaving = i;
    }
  }
  for (Index i = 0; i < p; ++i) value_[i] += step * (work_[i] - value_[i]);
  if (leaving < 0) return true;
  drop_position(leaving);
  return false;
}

template <class Scalar>
void ActiveSetSolver<Scalar>::solve(const Scalar* q,
                                    Scalar lambda,
                                    Scalar lambda_max,
                                    SampleCode<Scalar>& code) {
  const Index k = G_->rows();
  const Scalar allowed = allowed_violation(lambda, lambda_max) / 10;
  start_from(code);
  const Index most_steps = 20 * k + 100;  // never met except where rounding makes steps cycle
  for (Index step = 0; step < most_steps; ++step) {
    if (factor_.size() > 0 && !to_minimiser(q, lambda)) continue;
    refine(q, lambda);
    if (drop_wrong_signs()) continue;
    Eigen::Map<Vector<Scalar>> c(gradient_.data(), k);
    c = Eigen::Map<const Vector<Scalar>>(q, k);
    for (Index i = 0; i < factor_.size(); ++i) c -= value_[i] * G_->col(factor_.support()[i]);
    for (const Index j : factor_.support()) c[j] = 0;
    // The worst violator enters: beside the support, or (if it depends on it, as all others do once
    // the support spans the space) in exchange for one of its atoms.
    bool changed = false;
    while (!changed) {
      Index worst = 0;
      const bool any = allowed_sign_ == CodeSign::Any;
      const Scalar violation = any ? c.cwiseAbs().maxCoeff(&worst) : c.maxCoeff(&worst);
      if (!(violation > lambda + allowed)) break;
      const Scalar sign = c[worst] > 0 ? Scalar(1) : Scalar(-1);
      if (factor_.add(worst)) {
        value_.push_back(0);
        sign_.push_back(sign);
        changed = true;
      } else if (sign * express(worst) > 1) {
        changed = exchange(worst, 0, -sign);
      }
      c[worst] = 0;
    }
    if (!changed) break;
  }
  code.clear();
  for (Index i = 0; i < factor_.size(); ++i) {
    if (value_[i] == 0) continue;
    code.atoms.push_back(factor_.support()[i]);
    code.values.push_back(value_[i]);
  }
  code.lambda = lambda;
}

template class ActiveSetSolver<double>;

}  // namespace nodl
