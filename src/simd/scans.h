// Loops that look for something in a vector: the largest numbers, those above a limit, the first
// meeting.
// Everything here is local to the file that includes it; see kernels_body.h.
#pragma once

#include "simd/vectors.h"

namespace nodl::simd {
namespace {

template <class Scalar>
Scalar largest(const Scalar* c, Index n) {
  constexpr Index w = Pack<Scalar>::kLanes;
  V<Scalar> most{}, more{};
  Index i = 0;
  for (; i + 2 * w <= n; i += 2 * w) {
    const V<Scalar> x = load(c + i), y = load(c + i + w);
    most = larger(most, magnitudes<Scalar>(x));
    more = larger(more, magnitudes<Scalar>(y));
  }
  for (; i < n; i += w) {
    const V<Scalar> x = load_first(c + i, smaller(w, n - i));
    most = larger(most, magnitudes<Scalar>(x));
  }
  return largest_lane<Scalar>(larger(most, more));
}

/// Largest values and where they were, by lane.
template <class Scalar>
struct Champions {
  using Places = decltype(V<Scalar>{} > V<Scalar>{});
  V<Scalar> value;
  Places place{};

  void meet(V<Scalar> challenger, Places at) {
    const Places wins = challenger > value;
    value = wins ? challenger : value;
    place = wins ? at : place;
  }
};

// One pass finds a champion of every residue class of indices; the list is made from them.
template <class Scalar>
Index strongest(const Scalar* c,
                const Scalar* bound,
                Index n,
                Scalar least,
                Scalar share,
                RowIndex* out,
                Index most) {
  constexpr Index w = Pack<Scalar>::kLanes;
  using Places = typename Champions<Scalar>::Places;
  Places at;
  for (Index t = 0; t < w; ++t) at[t] = t;
  Champions<Scalar> first{spread(least)}, second{spread(least)};
  Index i = 0;
  for (; i + 2 * w <= n; i += 2 * w, at += 2 * w) {
    const V<Scalar> x = load(c + i), y = load(c + i + w);
    first.meet(magnitudes<Scalar>(x) - load(bound + i), at);
    second.meet(magnitudes<Scalar>(y) - load(bound + i + w), at + w);
  }
  const Places past = Places{} + static_cast<decltype(+at[0])>(n);
  const auto meet_some = [&](Champions<Scalar>& own, Index count) {  // up to a vector
    const V<Scalar> x = load_first(c + i, count), y = load_first(bound + i, count);
    const V<Scalar> value = magnitudes<Scalar>(x) - y;
    own.meet(at < past ? value : spread(least), at);
    i += count;
    at += w;
  };
  if (i < n) meet_some(first, smaller(w, n - i));
  if (i < n) meet_some(second, n - i);
  Scalar bar = least;
  Index found = 0;
  for (; found < most; ++found) {
    const Scalar top = largest_lane<Scalar>(larger(first.value, second.value));
    if (!(top > bar)) break;
    bar = larger(bar, share * top);  // the first is the largest of all
    const V<Scalar> height = spread(top);
    const unsigned below = lanes_above<Scalar>(height, first.value);
    constexpr unsigned kAll = (1U << w) - 1;
    if (below != kAll) {
      out[found] = static_cast<RowIndex>(first.place[__builtin_ctz(~below)]);
      first.value = first.value < height ? first.value : spread(least);
    } else {
      const unsigned under = lanes_above<Scalar>(height, second.value);
      out[found] = static_cast<RowIndex>(second.place[__builtin_ctz(~under)]);
      second.value = second.value < height ? second.value : spread(least);
    }
  }
  return found;
}

/// Bit t is set where |c_t| is above the bound, t < count, at most a vector's lanes.
template <class Scalar>
inline unsigned first_above(const Scalar* c, V<Scalar> bound, Index count) {
  const V<Scalar> x = load_first(c, count);
  return lanes_above<Scalar>(magnitudes<Scalar>(x), bound) & ((1U << count) - 1);
}

template <class Scalar>
Index count_above(const Scalar* c, Index n, Scalar limit) {
  constexpr Index w = Pack<Scalar>::kLanes;
  decltype(V<Scalar>{} > V<Scalar>{}) count{};
  const V<Scalar> bound = spread(limit);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> x = load(c + i);
    count -= magnitudes<Scalar>(x) > bound;  // true is -1
  }
  Index result = 0;
  for (Index t = 0; t < w; ++t) result += count[t];
  if (i < n) result += __builtin_popcount(first_above(c + i, bound, n - i));
  return result;
}

template <class Scalar>
bool all_within(const Scalar* c, Index n, Scalar limit) {
  constexpr Index w = Pack<Scalar>::kLanes;
  const V<Scalar> bound = spread(limit);
  auto within = bound == bound;
  Index i = 0;
  for (; i + w <= n; i += w) within &= magnitudes<Scalar>(load(c + i)) <= bound;
  bool all = true;
  for (Index t = 0; t < w; ++t) all = all && within[t] != 0;
  for (; i < n; ++i) all = all && magnitude(c[i]) <= limit;
  return all;
}

// 64 answers are collected before they are looked at: branches on a few at a time are mispredicted.
template <class Scalar>
Index above(const Scalar* c, Index n, Scalar limit, RowIndex* out, Index room) {
  constexpr Index w = Pack<Scalar>::kLanes, kWord = 64;
  const V<Scalar> bound = spread(limit);
  Index found = 0, i = 0;
  const auto list = [&](unsigned long long bits) {
    for (; bits != 0 && found < room; bits &= bits - 1) {
      out[found++] = static_cast<RowIndex>(i + __builtin_ctzll(bits));
    }
  };
  for (; i + kWord <= n && found < room; i += kWord) {
    unsigned long long bits = 0;
#pragma GCC unroll 32
    for (Index t = 0; t < kWord; t += w) {
      const unsigned lanes = lanes_above<Scalar>(magnitudes<Scalar>(load(c + i + t)), bound);
      bits |= static_cast<unsigned long long>(lanes) << t;
    }
    list(bits);
  }
  for (; i < n && found < room; i += w) list(first_above(c + i, bound, smaller(w, n - i)));
  return found;
}

// Atoms of the support stay at the boundary: c_i = s lambda, e_i = s, so that one of the two
// quotients is 0 / 0 and the other (2 lambda) / 2. `tiny` keeps the first from counting.
template <class Scalar>
Meeting<Scalar> first_meeting(
    const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar step) {
  constexpr Index w = Pack<Scalar>::kLanes;
  constexpr Scalar tiny = 4 * (sizeof(Scalar) == 4 ? __FLT_EPSILON__ : __DBL_EPSILON__);
  const V<Scalar> one = spread(Scalar(1)), zero{}, height = spread(lambda), least = spread(tiny);
  const auto one_step = [&](Scalar ci, Scalar ei) {
    const Scalar up = 1 - ei, down = 1 + ei;
    const Scalar plus = up > tiny ? larger(Scalar(0), lambda - ci) / up : lambda;
    const Scalar minus = down > tiny ? larger(Scalar(0), lambda + ci) / down : lambda;
    return smaller(plus, minus);
  };
  V<Scalar> best = spread(step);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> ci = load(c + i), ei = load(e + i);
    const V<Scalar> up = one - ei, down = one + ei;
    const V<Scalar> plus = up > least ? larger(zero, height - ci) / up : height;
    const V<Scalar> minus = down > least ? larger(zero, height + ci) / down : height;
    best = smaller(best, smaller(plus, minus));
  }
  Scalar first = step;
  for (Index t = 0; t < w; ++t) first = smaller(first, best[t]);
  Meeting<Scalar> meeting{-1, step};
  for (Index t = i; t < n; ++t) first = smaller(first, one_step(c[t], e[t]));
  if (!(first < step)) return meeting;
  for (Index t = 0; t < n; ++t) {
    if (one_step(c[t], e[t]) <= first) return {t, first};
  }
  return meeting;
}

template <class Scalar>
Meeting<Scalar> first_zero(const Scalar* value, const Scalar* direction, Index n, Scalar step) {
  constexpr Index w = Pack<Scalar>::kLanes;
  constexpr Scalar never = __builtin_inff();
  const V<Scalar> zero{}, infinite = spread(never);
  const auto one_step = [](Scalar v, Scalar d) { return v * d < 0 ? -v / d : never; };
  V<Scalar> best = infinite;
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> v = load(value + i), d = load(direction + i);
    best = smaller(best, v * d < zero ? -v / d : infinite);
  }
  Scalar first = never;
  for (Index t = 0; t < w; ++t) first = smaller(first, best[t]);
  for (; i < n; ++i) first = smaller(first, one_step(value[i], direction[i]));
  if (!(first <= step)) return {-1, step};
  for (i = 0; one_step(value[i], direction[i]) > first;) ++i;
  return {i, first};
}

template <class Scalar>
void urgency(const Scalar* c, const Scalar* e, Index n, Scalar lambda, Scalar slack, Scalar* out) {
  constexpr Index w = Pack<Scalar>::kLanes;
  constexpr Scalar epsilon = sizeof(Scalar) == 4 ? __FLT_EPSILON__ : __DBL_EPSILON__;
  const Scalar nearest = epsilon * lambda;
  const V<Scalar> one = spread(1 + slack), slowest = spread(slack), height = spread(lambda);
  const V<Scalar> least = spread(nearest);
  Index i = 0;
  for (; i + w <= n; i += w) {
    const V<Scalar> ci = load(c + i), ei = load(e + i);
    const V<Scalar> up = larger(slowest, one - ei) / larger(least, height - ci);
    const V<Scalar> down = larger(slowest, one + ei) / larger(least, height + ci);
    store(out + i, larger(up, down));
  }
  for (; i < n; ++i) {
    const Scalar up = larger(slack, 1 + slack - e[i]) / larger(nearest, lambda - c[i]);
    const Scalar down = larger(slack, 1 + slack + e[i]) / larger(nearest, lambda + c[i]);
    out[i] = larger(up, down);
  }
}

}  // namespace
}  // namespace nodl::simd
