#include "encode/lasso_search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nodl {
namespace {

using simd::kGroup;

constexpr Index kDeepest = 192;
constexpr Index kRoom = 320;       // up to here the whole dictionary is the working set
constexpr Index kPick = 64;        // atoms that else make the first one
constexpr Index kMostAtOnce = 64;  // that are added to it
constexpr Index kEntering = 4;     // atoms that enter between two looks at all of the working set
constexpr float kShare = 0.3F;     // of the largest violation that an entering atom's must reach
constexpr int kBoldRounds = 24;    // then one atom at a time, which does not cycle
constexpr int kRounds = 120;
constexpr int kExtensions = 12;
constexpr float kActive = 1e30F;  // bound of an atom of the support: it never enters again

}  // namespace

LassoSearch::LassoSearch(const Matrix<float>& gram)
    : simd_(simd::kernels<float>()),
      G_(gram),
      whole_(gram.rows() <= kRoom),
      room_(std::min(kRoom, gram.rows())),
      c_(gram.rows()),
      q_w_(whole_ ? 0 : padded(room_)),
      c_w_(whole_ ? 0 : padded(room_)),
      bound_(padded(room_)),
      inverse_(std::min(kDeepest, gram.rows())),
      inner_((std::min(kDeepest, gram.rows()) + kGroup) * kGroup),
      along_(inner_.size()),
      found_(room_ + 1) {
  const Index deepest = std::min(kDeepest, gram.rows());
  value_.resize(SupportInverse::padded(deepest));
  if (whole_) return;
  columns_.resize((deepest + kGroup) * padded(room_));
  for (std::size_t at = 0; at < columns_.size(); at += padded(room_)) {
    free_columns_.push_back(&columns_[at]);
  }
}

void LassoSearch::clear() {
  for (const float* column : column_) release_column(column);
  inverse_.clear();
  slot_.clear();
  column_.clear();
  sign_.clear();
  z_.clear();
  working_.clear();
}

bool LassoSearch::solve(const float* q, float lambda) {
  const Index k = static_cast<Index>(c_.size());
  clear();
  q_ = q;
  lambda_ = lambda;
  const float lambda_max = simd_.largest(q, k);
  std::copy_n(q, k, c_.begin());
  if (!(lambda_max > lambda)) return true;
  // Below this share of the largest correlation float32 cannot tell violators from rounding.
  if (lambda < 1e-3F * lambda_max) return false;
  tolerance_ = 1e-5F * lambda + 1e-6F * lambda_max;
  rounds_ = 0;
  pick_working_set(lambda_max);
  for (int extension = 0; extension < kExtensions; ++extension) {
    if (!solve_working_set()) return false;
    if (!whole_) correlate_all();
    if (distance_from_boundary() > tolerance_ && !refine()) return false;
    const Index before = working();
    if (!extend_working_set()) return false;
    if (working() == before) return true;
  }
  return false;
}

// All atoms if they are few; else those with the largest correlations.
void LassoSearch::pick_working_set(float lambda_max) {
  if (whole_) {
    std::fill(bound_.begin(), bound_.end(), lambda_);
    return;
  }
  append(find_above(lambda_, 0.999F * lambda_max, kPick));
}

// Appends the strongest violators of the conditions; none of them is in it. False if there is no
// room.
bool LassoSearch::extend_working_set() {
  for (Index i = 0; i < size(); ++i) c_[atom(i)] = 0;  // they are at the boundary
  const float largest = simd_.largest(c_.data(), static_cast<Index>(c_.size()));
  const bool violated = largest > lambda_ + tolerance_;
  const Index room = std::min(kMostAtOnce, (room_ - working()) * 2 / 3);
  const Index count =
      violated && room > 0 ? find_above(lambda_ + tolerance_, 0.9999F * largest, room) : 0;
  for (Index i = 0; i < size(); ++i) c_[atom(i)] = sign_[i] * lambda_;
  if (count > 0) append(count);
  return !violated || count > 0;
}

// Lists the atoms whose correlation is above `least`, or where they are many more than `wanted`,
// about as many of the largest. The limit is guessed as if their number fell exponentially from
// `least` to `largest`, then bisected.
Index LassoSearch::find_above(float least, float largest, Index wanted) {
  const Index k = static_cast<Index>(c_.size()), most = wanted * 3 / 2;
  const Index all = simd_.count_above(c_.data(), k, least);
  float limit = least;
  if (all > most) {
    float low = least, high = largest;
    const float share = std::log(static_cast<float>(all) / static_cast<float>(wanted)) /
                        std::log(static_cast<float>(all));
    limit = low + share * (high - low);
    for (int guess = 0; guess < 6; ++guess) {
      const Index count = simd_.count_above(c_.data(), k, limit);
      if (count <= most && count >= wanted * 2 / 3) break;
      (count > most ? low : high) = limit;
      limit = guess < 5 ? 0.5F * (low + high) : high;
    }
  }
  return simd_.above(c_.data(), k, limit, found_.data(), most);
}

// The first `count` atoms of found_.
void LassoSearch::append(Index count) {
  const Index before = working();
  working_.insert(working_.end(), found_.data(), found_.data() + count);
  const Index after = before + count, pad = width() - after;
  simd_.gather(c_.data(), working_.data(), after, c_w_.data());
  simd_.gather(q_, working_.data() + before, count, q_w_.data() + before);
  std::fill_n(bound_.data() + before, count, lambda_);
  std::fill_n(bound_.data() + after, pad, kActive);
  std::fill_n(c_w_.data() + after, pad, 0.0F);
  std::fill_n(q_w_.data() + after, pad, 0.0F);
  for (Index i = 0; i < size(); ++i) {
    float* column = const_cast<float*>(column_[i]) + before;  // one of columns_: not whole_
    simd_.gather(G_.col(atom(i)).data(), working_.data() + before, count, column);
    std::fill_n(column + count, pad, 0.0F);
  }
}

const float* LassoSearch::fetch_column(RowIndex slot) {
  if (whole_) return G_.col(slot).data();
  float* column = free_columns_.back();
  free_columns_.pop_back();
  simd_.gather(G_.col(working_[slot]).data(), working_.data(), working(), column);
  std::fill(column + working(), column + width(), 0.0F);
  return column;
}

void LassoSearch::release_column(const float* column) {
  if (!whole_) free_columns_.push_back(const_cast<float*>(column));
}

// Atoms enter in groups, in the order of their violation, to the minimiser for the support and
// signs; those whose coefficient then has the wrong sign leave.
bool LassoSearch::solve_working_set() {
  std::array<RowIndex, kGroup> entering{};
  const float* c = whole_ ? c_.data() : c_w_.data();
  while (rounds_ < kRounds) {
    const bool bold = rounds_++ < kBoldRounds;
    const Index count = simd_.strongest(
        c, bound_.data(), width(), tolerance_, kShare, entering.data(), bold ? kEntering : 1);
    if (count == 0) return true;
    if (!enter(entering.data(), count)) return false;
    drop_wrong_signs(!bold);
    correlate_working_set();
  }
  return false;
}

// One after the other, if it still violates when it is its turn. Their columns are fetched before,
// all at once: they come from far.
bool LassoSearch::enter(const RowIndex* slots, Index count) {
  const Index before = size();
  const AlignedVector<float>& c_w = whole_ ? c_ : c_w_;
  std::array<const float*, kGroup> columns{};
  std::array<float, kGroup> c{}, square{}, rest{};
  for (Index e = 0; e < count; ++e) {
    columns[e] = fetch_column(slots[e]);
    c[e] = c_w[slots[e]];
    rest[e] = square[e] = columns[e][slots[e]];
  }
  std::fill(columns.begin() + count, columns.end(), columns[0]);
  simd_.gather_group(before, slot_.data(), columns.data(), inner_.data());
  simd_.project_group(
      0, before, inverse_.rows(), inverse_.stride(), inner_.data(), along_.data(), rest.data());
  for (Index e = 0; e < count; ++e) {
    const Index p = size();
    const bool violates = std::abs(c[e]) > lambda_ + tolerance_;
    const bool possible = !inverse_.full() && rest[e] > SupportInverse::kDependent * square[e];
    if (!violates || !possible) {
      if (violates && p == before) {
        for (; e < count; ++e) release_column(columns[e]);
        return false;
      }
      release_column(columns[e]);
      continue;
    }
    const float sign = c[e] > 0 ? 1.0F : -1.0F;
    const float inverse_length = 1 / std::sqrt(rest[e]);
    const float z = (c[e] - lambda_ * sign) * inverse_length;
    inverse_.push(&along_[e], kGroup, inverse_length);
    slot_.push_back(slots[e]);
    column_.push_back(columns[e]);
    sign_.push_back(sign);
    z_.push_back(z);
    bound_[slots[e]] = kActive;
    // What the new direction takes from the others.
    float* along = &along_[p * kGroup];
    simd_.gather_group(1, &slots[e], columns.data(), &inner_[p * kGroup]);
    simd_.project_group(
        p, p + 1, inverse_.rows(), inverse_.stride(), inner_.data(), along_.data(), rest.data());
    for (Index other = 0; other < kGroup; ++other) c[other] -= z * along[other];
  }
  return true;
}

bool LassoSearch::admit(RowIndex atom, float c) {
  const std::optional<RowIndex> slot = slot_for(atom);
  if (!slot) return false;
  (whole_ ? c_ : c_w_)[*slot] = c;
  tolerance_ = 0;
  const Index before = size();
  if (!enter(&*slot, 1) || size() == before) return false;
  drop_wrong_signs(true);
  correlate_all();
  return true;
}

void LassoSearch::dismiss(Index i) {
  drop(i);
  drop_wrong_signs(true);
  correlate_all();
}

// Where an atom is in the working set, or is now; nothing if there is no room.
std::optional<RowIndex> LassoSearch::slot_for(RowIndex atom) {
  if (whole_) return atom;
  const auto at = std::find(working_.begin(), working_.end(), atom);
  if (at != working_.end()) return static_cast<RowIndex>(at - working_.begin());
  if (working() == room_) return std::nullopt;
  found_[0] = atom;
  append(1);
  return static_cast<RowIndex>(working() - 1);
}

void LassoSearch::drop_wrong_signs(bool only_worst) {
  for (bool wrong = true; wrong;) {
    inverse_.combine(z_.data(), value_.data());
    wrong = false;
    Index worst = -1;
    for (Index i = size() - 1; i >= 0; --i) {
      const float along = value_[i] * sign_[i];
      if (along > 0) continue;
      wrong = true;
      if (!only_worst) {
        drop(i);
      } else if (worst < 0 || along < value_[worst] * sign_[worst]) {
        worst = i;
      }
    }
    if (worst >= 0) drop(worst);
  }
}

void LassoSearch::drop(Index position) {
  bound_[slot_[position]] = lambda_;
  release_column(column_[position]);
  inverse_.leave(position, z_.data());
  z_.pop_back();
  slot_.erase(slot_.begin() + position);
  column_.erase(column_.begin() + position);
  sign_.erase(sign_.begin() + position);
}

void LassoSearch::correlate_working_set() {
  const float* q = whole_ ? q_ : q_w_.data();
  float* c = whole_ ? c_.data() : c_w_.data();
  simd_.residual(width(), size(), column_.data(), value_.data(), q, c);
}

void LassoSearch::correlate_all() {
  gram_columns_.clear();
  for (Index i = 0; i < size(); ++i) gram_columns_.push_back(G_.col(atom(i)).data());
  simd_.residual(
      static_cast<Index>(c_.size()), size(), gram_columns_.data(), value_.data(), q_, c_.data());
}

// max |c_A - lambda s|: 0 but for rounding.
float LassoSearch::distance_from_boundary() const {
  float distance = 0;
  for (Index i = 0; i < size(); ++i) {
    distance = std::max(distance, std::abs(c_[atom(i)] - lambda_ * sign_[i]));
  }
  return distance;
}

bool LassoSearch::refine() {
  g_.resize(size());
  for (Index i = 0; i < size(); ++i) g_[i] = c_[atom(i)] - lambda_ * sign_[i];
  solve_support(g_.data());
  for (Index i = 0; i < size(); ++i) value_[i] += g_[i];
  correlate_all();
  for (Index i = 0; i < size(); ++i) {
    if (!(value_[i] * sign_[i] > 0)) return false;
  }
  return distance_from_boundary() <= tolerance_;
}

}  // namespace nodl
