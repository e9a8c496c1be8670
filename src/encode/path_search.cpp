#include "encode/path_search.h"

#include <algorithm>
#include <cmath>

namespace nodl {
namespace {

constexpr Index kAhead = 96;    // atoms that are watched: those that would join first
constexpr Index kRoom = 320;    // dropped atoms are watched too
constexpr float kTrust = 0.8F;  // share of the way to where the others would join, as seen now
constexpr float kSlack = 0.5F;  // by which slopes may change on it
constexpr float kLeastLambda = 1e-3F;  // of lambda_max: where float32 ends
constexpr RowIndex kNowhere = -1;

Index padded(Index n) { return (n + 15) / 16 * 16; }
/// A row length for which rows start one line of the cache after another and do not compete.
Index staggered(Index n) { return (n + 63) / 64 * 64 + 16; }

}  // namespace

PathSearch::PathSearch(const Matrix<float>& gram, Index deepest)
    : simd_(simd::kernels<float>()),
      G_(&gram),
      inverse_(deepest),
      stride_(staggered(kRoom)),
      rows_((deepest + 1) * stride_),
      c_w_(kRoom),
      e_(kRoom),
      c_(gram.rows()),
      slope_(gram.rows()),
      urgency_(gram.rows()),
      place_(gram.rows()),
      found_(gram.rows()) {
  for (Index i = 0; i <= deepest; ++i) row_.push_back(rows_.data() + i * stride_);
}

bool PathSearch::solve(const float* q, const CodeTarget& target) {
  const Index k = G_->rows();
  support_.clear();
  inverse_.clear();
  z_.clear();
  sign_.clear();
  value_.clear();
  direction_.clear();
  watched_.clear();
  std::fill(place_.begin(), place_.end(), kNowhere);
  next_atom_ = -1;
  lambda_ = simd_.largest(q, k);
  const float wanted = static_cast<float>(target.lambda.value_or(0));
  const float last = std::max(wanted, kLeastLambda * lambda_);
  tolerance_ = 1e-5F * last + 1e-6F * lambda_;
  std::copy_n(q, k, c_.begin());
  if (!(lambda_ > last)) return false;
  look_ahead();
  const Index most_events = 8 * target.nonzeros + 64;
  for (Index events = 0; events < most_events; ++events) {
    const Event event = next_event(last);
    fall(event.step);
    switch (event.kind) {
      case Event::Look:
        if (!renew(q)) return false;
        break;
      case Event::Drop:
        drop(event.index);
        if (static_cast<Index>(watched_.size()) == kRoom && !renew(q)) return false;
        break;
      case Event::Join:
        if (size() == target.nonzeros) {
          next_atom_ = watched_[event.index];
          next_slope_ = e_[event.index];
          return finish(q);
        }
        if (!join(event.index)) return false;
        break;
      case Event::End:
        return last == wanted && finish(q);
    }
  }
  return false;
}

// Where the first of these happens as lambda falls: a watched atom's correlation reaches lambda, a
// coefficient reaches 0, the horizon or the last lambda is reached.
PathSearch::Event PathSearch::next_event(float last) const {
  Event event{Event::End, -1, lambda_ - last};
  if (horizon_ > last) event = {Event::Look, -1, std::max(0.0F, lambda_ - horizon_)};
  const Index width = padded(static_cast<Index>(watched_.size()));
  const simd::Meeting<float> meeting =
      simd_.first_meeting(c_w_.data(), e_.data(), width, lambda_, event.step);
  if (meeting.index >= 0) event = {Event::Join, meeting.index, meeting.step};
  const simd::Meeting<float> zero =
      simd_.first_zero(value_.data(), direction_.data(), size(), event.step);
  if (zero.index >= 0) event = {Event::Drop, zero.index, zero.step};
  return event;
}

void PathSearch::fall(float step) {
  simd_.axpy(size(), step, direction_.data(), value_.data());
  simd_.axpy(padded(static_cast<Index>(watched_.size())), -step, e_.data(), c_w_.data());
  lambda_ -= step;
}

bool PathSearch::join(Index watched) {
  const Index p = size();
  const RowIndex j = watched_[watched];
  const float* g = G_->col(j).data();
  simd_.gather(g, support_.data(), p, inverse_.products());
  if (!inverse_.enter(g[j])) return false;
  const float sign = c_w_[watched] > 0 ? 1.0F : -1.0F;
  sign_.push_back(sign);
  value_.push_back(0);
  direction_.push_back(0);
  z_.push_back(simd_.dot(inverse_.row(p), sign_.data(), p + 1));
  unwatch(watched);
  support_.push_back(j);
  simd_.gather(g, watched_.data(), static_cast<Index>(watched_.size()), row_[p]);
  std::fill(row_[p] + watched_.size(), row_[p] + kRoom, 0.0F);
  simd_.axpy(p + 1, z_[p], inverse_.row(p), direction_.data());
  turn();
  return direction_.back() * sign > 0;
}

void PathSearch::drop(Index position) {
  const RowIndex j = support_[position];
  const float sign = sign_[position];
  inverse_.leave(position, z_.data());
  const Index p = inverse_.size();
  simd_.axpy(p + 1, -z_[p], inverse_.row(p), direction_.data());
  direction_.erase(direction_.begin() + position);
  z_.pop_back();
  support_.erase(support_.begin() + position);
  sign_.erase(sign_.begin() + position);
  value_.erase(value_.begin() + position);
  std::rotate(row_.begin() + position, row_.begin() + position + 1, row_.begin() + size() + 1);
  watch(&j, 1);
  c_w_[watched_.size() - 1] = sign * lambda_;
  turn();
}

// By how much correlations fall as lambda falls, for a new direction.
void PathSearch::turn() {
  simd_.combine(padded(static_cast<Index>(watched_.size())),
                size(),
                row_.data(),
                direction_.data(),
                e_.data());
}

void PathSearch::watch(const RowIndex* atoms, Index count) {
  const std::size_t before = watched_.size();
  watched_.insert(watched_.end(), atoms, atoms + count);
  for (std::size_t w = before; w < watched_.size(); ++w) {
    place_[watched_[w]] = static_cast<RowIndex>(w);
  }
  for (Index i = 0; i < size(); ++i) {
    simd_.gather(G_->col(support_[i]).data(), atoms, count, row_[i] + before);
  }
}

// The last one takes its place.
void PathSearch::unwatch(Index watched) {
  const Index last = static_cast<Index>(watched_.size()) - 1;
  place_[watched_[last]] = static_cast<RowIndex>(watched);
  place_[watched_[watched]] = kNowhere;
  watched_[watched] = watched_[last];
  c_w_[watched] = c_w_[last];
  c_w_[last] = 0;
  for (Index i = 0; i < size(); ++i) {
    row_[i][watched] = row_[i][last];
    row_[i][last] = 0;
  }
  watched_.pop_back();
}

// Looks at all atoms. False if one that was not watched has crossed the boundary unseen.
bool PathSearch::renew(const float* q) {
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
  columns_.clear();
  for (const RowIndex j : support_) columns_.push_back(G_->col(j).data());
  simd_.residual(G_->rows(), size(), columns_.data(), value_.data(), q, c_.data());
  g_.resize(size());
  for (Index i = 0; i < size(); ++i) {
    g_[i] = c_[support_[i]] - lambda_ * sign_[i];
    c_[support_[i]] = lambda_ * sign_[i];
  }
}

void PathSearch::refine() {
  solve_support(g_.data());
  simd_.axpy(size(), 1, g_.data(), value_.data());
}

bool PathSearch::inside() const {
  return simd_.largest(c_.data(), G_->rows()) <= lambda_ + tolerance_;
}

// From now on the atoms are watched that would meet the boundary first, as things are.
void PathSearch::look_ahead() {
  const Index k = G_->rows();
  direction_.resize(padded(size()));
  inverse_.combine(z_.data(), direction_.data());  // free of the rounding of many steps
  direction_.resize(size());
  columns_.clear();
  for (const RowIndex j : support_) columns_.push_back(G_->col(j).data());
  simd_.combine(k, size(), columns_.data(), direction_.data(), slope_.data());
  simd_.urgency(c_.data(), slope_.data(), k, lambda_, kSlack, urgency_.data());
  for (const RowIndex j : support_) urgency_[j] = 0;
  float limit = 0;
  if (k > kAhead + size()) {
    float low = 1 / lambda_, high = simd_.largest(urgency_.data(), k);
    for (int guess = 0; guess < 12 && high > 1.05F * low; ++guess) {
      const float middle = std::sqrt(low * high);
      (simd_.count_above(urgency_.data(), k, middle) > kAhead ? low : high) = middle;
    }
    limit = high;
  }
  horizon_ = limit > 0 ? lambda_ - kTrust / limit : 0;
  for (Index w = static_cast<Index>(watched_.size()) - 1; w >= 0; --w) {
    if (!(urgency_[watched_[w]] > limit)) unwatch(w);
  }
  const Index count = simd_.above(urgency_.data(), k, limit, found_.data(), kAhead);
  const auto fresh = std::remove_if(
      found_.begin(), found_.begin() + count, [&](RowIndex j) { return place_[j] != kNowhere; });
  watch(found_.data(), fresh - found_.begin());
  const Index watched = static_cast<Index>(watched_.size());
  simd_.gather(c_.data(), watched_.data(), watched, c_w_.data());
  simd_.gather(slope_.data(), watched_.data(), watched, e_.data());
  std::fill(c_w_.begin() + watched, c_w_.end(), 0.0F);
  std::fill(e_.begin() + watched, e_.end(), 0.0F);
}

}  // namespace nodl
