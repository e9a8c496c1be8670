#include "encode/path_search.h"

#include <algorithm>
#include <cmath>

namespace nodl {
namespace {

constexpr Index kAhead = 64;    // atoms that are watched: those that would join first
constexpr float kTrust = 0.4F;  // share of the way to where the others would join, as seen now
constexpr Index kRoom = 2048;
constexpr float kLeastLambda = 1e-3F;  // of lambda_max: where float32 ends

}  // namespace

PathSearch::PathSearch(const Matrix<float>& gram, Index deepest)
    : simd_(simd::kernels<float>()),
      set_(gram, kRoom, deepest),
      c_(gram.rows()),
      slope_(gram.rows()),
      urgency_(gram.rows()),
      member_(gram.rows()),
      c_w_(ProjectedSet::padded(set_.room())),
      e_(ProjectedSet::padded(set_.room())),
      found_(gram.rows()) {}

bool PathSearch::solve(const float* q, const CodeTarget& target) {
  const Index k = static_cast<Index>(c_.size());
  set_.clear();
  z_.clear();
  sign_.clear();
  value_.clear();
  direction_.clear();
  std::fill(member_.begin(), member_.end(), char(0));
  next_atom_ = -1;
  lambda_ = simd_.largest(q, k);
  const float wanted = static_cast<float>(target.lambda.value_or(0));
  const float last = std::max(wanted, kLeastLambda * lambda_);
  tolerance_ = 1e-5F * last + 1e-6F * lambda_;
  std::copy_n(q, k, c_.begin());
  if (!(lambda_ > last)) return false;
  look_ahead();
  const Index most_events = 4 * target.nonzeros + 64;
  for (Index events = 0; events < most_events; ++events) {
    const Event event = next_event(last);
    fall(event.step);
    if (event.kind == Event::Drop) {
      drop(event.index);
      continue;
    }
    const bool full = event.kind == Event::Join && size() == target.nonzeros;
    if (full || event.kind == Event::End) {
      if (!full && last > wanted) return false;
      if (full) {
        next_atom_ = set_.atoms()[event.index];
        next_slope_ = e_[event.index];
      }
      return finish(q);
    }
    if (event.kind == Event::Look) {
      if (!renew_working_set(q)) return false;
    } else if (!join(event.index)) {
      return false;
    }
  }
  return false;
}

PathSearch::Event PathSearch::next_event(float last) const {
  Event event{Event::End, -1, lambda_ - last};
  if (horizon_ > last) event = {Event::Look, -1, std::max(0.0F, lambda_ - horizon_)};
  const simd::Meeting<float> meeting =
      simd_.first_meeting(c_w_.data(), e_.data(), set_.width(), lambda_, event.step);
  if (meeting.index >= 0) event = {Event::Join, meeting.index, meeting.step};
  for (Index i = 0; i < size(); ++i) {
    if (value_[i] * direction_[i] >= 0) continue;
    const float step = -value_[i] / direction_[i];
    if (step <= event.step) event = {Event::Drop, i, step};
  }
  return event;
}

void PathSearch::fall(float step) {
  simd_.axpy(size(), step, direction_.data(), value_.data());
  simd_.axpy(set_.width(), -step, e_.data(), c_w_.data());
  lambda_ -= step;
}

bool PathSearch::join(Index slot) {
  const Index p = size();
  if (!set_.enter(slot)) return false;
  const float* l = set_.factor(p);
  const float sign = c_w_[slot] > 0 ? 1.0F : -1.0F;
  const float z = (sign - simd_.dot(l, z_.data(), p)) / l[p];
  z_.push_back(z);
  sign_.push_back(sign);
  value_.push_back(0);
  simd_.axpy(set_.width(), z, set_.row(p), e_.data());
  c_w_[slot] = 0;
  e_[slot] = 0;
  direction_ = z_;
  set_.solve_upper(direction_.data());
  return direction_.back() * sign > 0;
}

void PathSearch::drop(Index position) {
  const Index slot = set_.slot(position);
  const float sign = sign_[position];
  set_.leave(position, z_.data());
  sign_.erase(sign_.begin() + position);
  value_.erase(value_.begin() + position);
  const float last = z_.back();
  z_.pop_back();
  simd_.axpy(set_.width(), -last, set_.row(size()), e_.data());
  c_w_[slot] = sign * lambda_;
  float e = 0;
  for (Index i = 0; i < size(); ++i) e += z_[i] * set_.row(i)[slot];
  e_[slot] = e;
  direction_ = z_;
  set_.solve_upper(direction_.data());
}

// Looks at all atoms. False if one outside the working set has crossed the boundary unseen.
bool PathSearch::renew_working_set(const float* q) {
  correlate(q);
  if (!inside()) return false;
  refine();
  look_ahead();
  return true;
}

// The same at the end, where all conditions have to hold.
bool PathSearch::finish(const float* q) {
  correlate(q);
  refine();
  correlate(q);
  for (Index i = 0; i < size(); ++i) {
    if (!(value_[i] * sign_[i] > 0) || !(std::abs(g_[i]) <= tolerance_)) return false;
  }
  return inside();
}

// c = q - G a of all atoms; what the support's differ from the boundary by rounding goes to g.
void PathSearch::correlate(const float* q) {
  set_.correlate(q, value_.data(), c_.data());
  g_.resize(size());
  for (Index i = 0; i < size(); ++i) {
    g_[i] = c_[atom(i)] - lambda_ * sign_[i];
    c_[atom(i)] = lambda_ * sign_[i];
  }
}

void PathSearch::refine() {
  solve_support(g_.data());
  simd_.axpy(size(), 1, g_.data(), value_.data());
}

bool PathSearch::inside() const {
  return simd_.largest(c_.data(), static_cast<Index>(c_.size())) <= lambda_ + tolerance_;
}

// The atoms that would meet the boundary first, as things are, join the working set.
void PathSearch::look_ahead() {
  const Index k = static_cast<Index>(c_.size());
  std::fill(slope_.begin(), slope_.end(), 0.0F);
  set_.correlate(slope_.data(), direction_.data(), slope_.data());
  for (float& e : slope_) e = -e;
  simd_.urgency(c_.data(), slope_.data(), k, lambda_, urgency_.data());
  for (Index i = 0; i < size(); ++i) urgency_[atom(i)] = 0;
  float limit = 0;
  if (k > kAhead + size()) {
    float low = 1 / lambda_, high = simd_.largest(urgency_.data(), k);
    for (int guess = 0; guess < 10 && high > 1.05F * low; ++guess) {
      const float middle = std::sqrt(low * high);
      (simd_.count_above(urgency_.data(), k, middle) > kAhead ? low : high) = middle;
    }
    limit = 0.999F * high;
  }
  horizon_ = limit > 0 ? lambda_ - kTrust / limit : 0;
  const Index count = simd_.above(urgency_.data(), k, limit, found_.data(), k);
  Index fresh = 0;
  for (Index t = 0; t < count; ++t) {
    if (member_[found_[t]]) continue;
    member_[found_[t]] = 1;
    found_[fresh++] = found_[t];
  }
  const Index before = set_.working();
  fresh = std::min(fresh, set_.room() - before);
  set_.append(found_.data(), fresh);
  const Index after = set_.working();
  simd_.gather(c_.data(), set_.atoms(), after, c_w_.data());
  simd_.gather(slope_.data(), set_.atoms(), after, e_.data());
  std::fill_n(c_w_.data() + after, set_.width() - after, 0.0F);
  std::fill_n(e_.data() + after, set_.width() - after, 0.0F);
  for (Index i = 0; i < size(); ++i) c_w_[set_.slot(i)] = e_[set_.slot(i)] = 0;
}

}  // namespace nodl
