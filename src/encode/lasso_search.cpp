#include "encode/lasso_search.h"

#include <algorithm>
#include <cmath>

namespace nodl {
namespace {

constexpr Index kDeepest = 192;
constexpr Index kRoom = 320;         // up to here the whole dictionary is the working set
constexpr Index kPick = 64;          // atoms that else make the first one
constexpr Index kMostAtOnce = 64;    // that are added to it
constexpr Index kBetweenChecks = 8;  // entries until signs are looked at
constexpr int kRounds = 12;
constexpr float kActive = 1e30F;  // bound of an atom of the support: it never enters again

}  // namespace

LassoSearch::LassoSearch(const Matrix<float>& gram)
    : simd_(simd::kernels<float>()),
      set_(gram, kRoom, kDeepest),
      whole_(gram.rows() <= kRoom),
      c_(gram.rows()),
      c_w_(ProjectedSet::padded(set_.room())),
      bound_(ProjectedSet::padded(set_.room())),
      found_(set_.room() + 1) {}

bool LassoSearch::solve(const float* q, float lambda) {
  const Index k = static_cast<Index>(c_.size());
  set_.clear();
  z_.clear();
  sign_.clear();
  value_.clear();
  const float lambda_max = simd_.largest(q, k);
  std::copy_n(q, k, c_.begin());
  if (!(lambda_max > lambda)) return true;
  // Below this share of the largest correlation float32 cannot tell violators from rounding.
  if (lambda < 1e-3F * lambda_max) return false;
  tolerance_ = 1e-5F * lambda + 1e-6F * lambda_max;
  steps_left_ = 8 * kDeepest;
  pick_working_set(lambda, lambda_max);
  for (int round = 0; round < kRounds; ++round) {
    if (!solve_working_set(lambda)) return false;
    set_.correlate(q, value_.data(), c_.data());
    if (distance_from_boundary(lambda) > tolerance_ && !refine(q, lambda)) return false;
    const Index before = set_.working();
    if (!extend_working_set(lambda)) return false;
    if (set_.working() == before) return true;
  }
  return false;
}

// All atoms if they are few; else those with the largest correlations.
void LassoSearch::pick_working_set(float lambda, float lambda_max) {
  if (whole_) {
    set_.append_all();
    append(static_cast<Index>(c_.size()), lambda);
    return;
  }
  append(find_above(lambda, 0.999F * lambda_max, kPick), lambda);
}

// Appends the strongest violators of the conditions; none of them is in it. False if there is no
// room.
bool LassoSearch::extend_working_set(float lambda) {
  for (Index i = 0; i < size(); ++i) c_[atom(i)] = 0;  // they are at the boundary
  const float largest = simd_.largest(c_.data(), static_cast<Index>(c_.size()));
  const bool violated = largest > lambda + tolerance_;
  const Index room = std::min(kMostAtOnce, set_.room() - set_.working());
  const Index count =
      violated && room > 0 ? find_above(lambda + tolerance_, 0.9999F * largest, room) : 0;
  for (Index i = 0; i < size(); ++i) c_[atom(i)] = sign_[i] * lambda;
  if (count > 0) append(count, lambda);
  return !violated || count > 0;
}

// Lists the atoms whose correlation is above `least`, or where they are more than `most`, about as
// many of the largest, by a few guesses of the limit.
Index LassoSearch::find_above(float least, float largest, Index most) {
  const Index k = static_cast<Index>(c_.size());
  float low = least, high = largest;
  if (simd_.count_above(c_.data(), k, least) > most) {
    for (int guess = 0; guess < 6; ++guess) {
      const float limit = 0.5F * (low + high);
      const Index count = simd_.count_above(c_.data(), k, limit);
      (count > most ? low : high) = limit;
      if (count <= most && count > most * 3 / 4) break;
    }
    low = high;
  }
  return simd_.above(c_.data(), k, low, found_.data(), most);
}

// The first `count` atoms of found_ (all, if the working set is the whole dictionary).
void LassoSearch::append(Index count, float lambda) {
  const Index before = whole_ ? 0 : set_.working();
  if (!whole_) set_.append(found_.data(), count);
  const Index after = before + count, pad = set_.width() - after;
  simd_.gather(c_.data(), set_.atoms(), after, c_w_.data());
  std::fill_n(bound_.data() + before, count, lambda);
  std::fill_n(bound_.data() + after, pad, kActive);
  std::fill_n(c_w_.data() + after, pad, 0.0F);
}

// Atoms enter in the order of their violation, each time to the minimiser for the present support
// and signs; those whose coefficient then has the wrong sign leave.
bool LassoSearch::solve_working_set(float lambda) {
  Index entered = 0;
  Index slot = simd_.strongest(c_w_.data(), bound_.data(), set_.width(), tolerance_);
  while (steps_left_-- > 0) {
    if (slot >= 0 && entered < kBetweenChecks) {
      if (!enter(slot, lambda, slot)) return false;
      ++entered;
      continue;
    }
    value_ = z_;
    set_.solve_upper(value_.data());
    const Index wrong = wrong_sign();
    if (wrong >= 0) {
      slot = drop(wrong, lambda);
    } else if (slot < 0) {
      return true;
    } else {
      entered = 0;
    }
  }
  return false;
}

// The position whose coefficient is furthest on the wrong side of zero; -1 if none is.
Index LassoSearch::wrong_sign() const {
  Index wrong = -1;
  float most = 0;
  for (Index i = 0; i < size(); ++i) {
    const float along = value_[i] * sign_[i];
    if (along > 0 || (wrong >= 0 && along >= most)) continue;
    most = along;
    wrong = i;
  }
  return wrong;
}

// `next`: the strongest violator afterwards, -1 if there is none.
bool LassoSearch::enter(Index slot, float lambda, Index& next) {
  const Index p = size();
  if (!set_.enter(slot)) return false;
  const float sign = c_w_[slot] > 0 ? 1.0F : -1.0F;
  const float z = (c_w_[slot] - lambda * sign) / set_.factor(p)[p];
  bound_[slot] = kActive;
  z_.push_back(z);
  sign_.push_back(sign);
  next = simd_.advance(set_.width(), -z, set_.row(p), c_w_.data(), bound_.data(), tolerance_);
  return true;
}

// Returns the strongest violator afterwards.
Index LassoSearch::drop(Index position, float lambda) {
  bound_[set_.slot(position)] = lambda;
  set_.leave(position, z_.data());
  sign_.erase(sign_.begin() + position);
  const float last = z_.back();
  z_.pop_back();
  return simd_.advance(
      set_.width(), last, set_.row(size()), c_w_.data(), bound_.data(), tolerance_);
}

// max |c_A - lambda s|: 0 but for rounding.
float LassoSearch::distance_from_boundary(float lambda) const {
  float distance = 0;
  for (Index i = 0; i < size(); ++i) {
    distance = std::max(distance, std::abs(c_[atom(i)] - lambda * sign_[i]));
  }
  return distance;
}

bool LassoSearch::refine(const float* q, float lambda) {
  g_.resize(size());
  for (Index i = 0; i < size(); ++i) g_[i] = c_[atom(i)] - lambda * sign_[i];
  solve_support(g_.data());
  for (Index i = 0; i < size(); ++i) value_[i] += g_[i];
  set_.correlate(q, value_.data(), c_.data());
  for (Index i = 0; i < size(); ++i) {
    if (!(value_[i] * sign_[i] > 0)) return false;
  }
  return distance_from_boundary(lambda) <= tolerance_;
}

}  // namespace nodl
