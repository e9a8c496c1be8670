#include "nodl/metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "magnitude.h"

namespace nodl {
namespace {

constexpr Index kBlock = 16;  // samples that are one piece of work

/// Pairs of coordinates: `count` explicit ones, and `rest` times the pair (rest_x, rest_y).
struct Pairs {
  const double* x = nullptr;
  const double* y = nullptr;
  Index count = 0;
  Index rest = 0;
  double rest_x = 0;
  double rest_y = 0;
};

/// Sums in eight parts, which lie side by side in vectors.
class Sum {
 public:
  static constexpr Index kParts = 8;
  void add(Index part, double value) { part_[part] += value; }
  double total() const {
    double sums[4];
    for (Index i = 0; i < 4; ++i) sums[i] = part_[i] + part_[i + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

 private:
  double part_[kParts] = {};
};

/// visit(i, part) for i = 0, ..., count - 1, where part runs through those of a sum.
template <class Visit>
void in_parts(Index count, Visit&& visit) {
  Index i = 0;
  for (; i + Sum::kParts <= count; i += Sum::kParts) {
    for (Index part = 0; part < Sum::kParts; ++part) visit(i + part, part);
  }
  for (Index part = 0; i < count; ++i, ++part) visit(i, part);
}

/// How y fits x.
struct Fit {
  double correlation = 0;
  double deviation = 0;      // |x - mean(x)|^2
  double squared_error = 0;  // |x - y|^2, of x minus its mean where asked for
};

/// Two passes: means first, so that a large mean costs no digits.
Fit fit(const Pairs& pairs, bool without_mean) {
  const double n = static_cast<double>(pairs.count + pairs.rest);
  const double rest = static_cast<double>(pairs.rest);
  if (n == 0) return {};
  const double* x = pairs.x;
  const double* y = pairs.y;
  Sum sum_x, sum_y, square_x, square_y;
  in_parts(pairs.count, [&](Index i, Index part) {
    sum_x.add(part, x[i]);
    sum_y.add(part, y[i]);
    square_x.add(part, x[i] * x[i]);
    square_y.add(part, y[i] * y[i]);
  });
  const double mean_x = (sum_x.total() + rest * pairs.rest_x) / n;
  const double mean_y = (sum_y.total() + rest * pairs.rest_y) / n;
  const double shift = without_mean ? mean_x : 0;
  Sum sum_xx, sum_yy, sum_xy, error;
  in_parts(pairs.count, [&](Index i, Index part) {
    const double a = x[i] - mean_x, b = y[i] - mean_y, e = x[i] - y[i] - shift;
    sum_xx.add(part, a * a);
    sum_yy.add(part, b * b);
    sum_xy.add(part, a * b);
    error.add(part, e * e);
  });
  const double dx = pairs.rest_x - mean_x, dy = pairs.rest_y - mean_y;
  const double de = pairs.rest_x - pairs.rest_y - shift;
  const double xx = sum_xx.total() + rest * dx * dx, yy = sum_yy.total() + rest * dy * dy;
  const double xy = sum_xy.total() + rest * dx * dy;
  const bool x_varies = !is_rounding(xx, square_x.total() + rest * pairs.rest_x * pairs.rest_x);
  const bool y_varies = !is_rounding(yy, square_y.total() + rest * pairs.rest_y * pairs.rest_y);
  Fit result;
  result.deviation = x_varies ? xx : 0;
  result.squared_error = error.total() + rest * de * de;
  if (!x_varies || !y_varies) return result;  // a constant correlates with nothing
  result.correlation = std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
  return result;
}

struct Ranked {
  std::uint64_t key;  // in the order of the values
  Index index;
};

/// Sorts by key: by its upper half digit by digit, then the few that agree in it.
void sort_by_key(std::vector<Ranked>& items, std::vector<Ranked>& other) {
  const auto smaller = [](const Ranked& a, const Ranked& b) { return a.key < b.key; };
  if (items.size() < 64) {
    std::sort(items.begin(), items.end(), smaller);
    return;
  }
  constexpr int kBits = 11, kDigits = 3, kFrom = 31;
  constexpr std::size_t kValues = std::size_t(1) << kBits;
  std::array<std::array<std::uint32_t, kValues>, kDigits> starts{};
  const auto digit = [](std::uint64_t key, int d) {
    return static_cast<std::size_t>(key >> (kFrom + d * kBits)) & (kValues - 1);
  };
  for (const Ranked& item : items) {
    for (int d = 0; d < kDigits; ++d) ++starts[d][digit(item.key, d)];
  }
  other.resize(items.size());
  for (int d = 0; d < kDigits; ++d) {
    std::uint32_t before = 0;
    for (std::uint32_t& start : starts[d]) start = std::exchange(before, before + start);
    for (const Ranked& item : items) other[starts[d][digit(item.key, d)]++] = item;
    items.swap(other);
  }
  for (auto first = items.begin(); first != items.end();) {
    const std::uint64_t upper = first->key >> kFrom;
    bool differ = false;
    auto past = first + 1;
    for (; past != items.end() && past->key >> kFrom == upper; ++past) {
      differ = differ || past->key != first->key;
    }
    if (differ) std::sort(first, past, smaller);
    first = past;
  }
}

std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // one zero only
  return bits >> 63 ? ~bits : bits | std::uint64_t(1) << 63;
}

/// Average ranks of `count` explicit values among them and `rest` more of value `rest_value`, whose
/// own rank is returned.
double average_ranks(const double* values,
                     Index count,
                     Index rest,
                     double rest_value,
                     std::vector<Ranked>& order,
                     std::vector<Ranked>& other,
                     double* ranks) {
  order.resize(count);
  for (Index i = 0; i < count; ++i) order[i] = {key_of(values[i]), i};
  sort_by_key(order, other);
  const std::uint64_t rest_key = key_of(rest_value);
  double rest_rank = 0;
  bool rest_ranked = rest == 0;
  double below = 0;  // values ranked so far
  Index i = 0;
  while (i < count || !rest_ranked) {
    const bool rest_first = !rest_ranked && (i == count || rest_key <= order[i].key);
    const std::uint64_t key = rest_first ? rest_key : order[i].key;
    Index end = i;
    while (end < count && order[end].key == key) ++end;
    const double tied = static_cast<double>(end - i) + (rest_first ? static_cast<double>(rest) : 0);
    const double rank = below + (tied + 1) / 2;
    for (; i < end; ++i) ranks[order[i].index] = rank;
    if (rest_first) {
      rest_rank = rank;
      rest_ranked = true;
    }
    below += tied;
  }
  return rest_rank;
}

struct RankBuffers {
  std::vector<Ranked> order, other;
  std::vector<double> x, y;
};

double rank_correlation(const Pairs& pairs, RankBuffers& buffers) {
  buffers.x.resize(pairs.count);
  buffers.y.resize(pairs.count);
  Pairs ranks = pairs;
  const auto rank = [&](const double* values, double rest_value, double* out) {
    return average_ranks(
        values, pairs.count, pairs.rest, rest_value, buffers.order, buffers.other, out);
  };
  ranks.rest_x = rank(pairs.x, pairs.rest_x, buffers.x.data());
  ranks.rest_y = rank(pairs.y, pairs.rest_y, buffers.y.data());
  ranks.x = buffers.x.data();
  ranks.y = buffers.y.data();
  return fit(ranks, false).correlation;
}

/// Scores samples one after the other without allocating.
template <class Scalar>
class Scorer {
 public:
  Scorer(const CodingDictionary<Scalar>& dictionary, Correlations wanted)
      : dictionary_(dictionary),
        wanted_(wanted),
        reconstruction_(Vector<Scalar>::Zero(dictionary.dimension())),
        sample_(Vector<Scalar>::Zero(dictionary.dimension())),
        marked_(dictionary.dimension(), false) {}

  void score(const Batch<Scalar>& batch, const SparseColumns<Scalar>& codes, Index i, Scores& out) {
    const Index m = dictionary_.dimension();
    const Index count = codes.nonzeros(i);
    const RowIndex* atoms = codes.indices + codes.starts[i];
    const Scalar* code = codes.values + codes.starts[i];
    touched_.clear();
    double constant = 0;
    if (batch.is_sparse()) {
      const SparseColumns<Scalar>& x = batch.columns();
      if (dictionary_.stored_sparse()) {
        constant =
            dictionary_.synthesize(count, atoms, code, reconstruction_.data(), marked_, touched_);
      } else {
        constant = dictionary_.synthesize(count, atoms, code, reconstruction_.data());
        touched_.resize(m);
        std::iota(touched_.begin(), touched_.end(), RowIndex(0));
        std::fill(marked_.begin(), marked_.end(), true);
      }
      for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
        sample_[x.indices[p]] = x.values[p];
        if (!marked_[x.indices[p]]) touched_.push_back(x.indices[p]);
        marked_[x.indices[p]] = true;
      }
      std::sort(touched_.begin(), touched_.end());  // sums do not depend on the order of a code
      gather(m, constant);
      for (const RowIndex row : touched_) {
        sample_[row] = 0;
        reconstruction_[row] = 0;
        marked_[row] = false;
      }
    } else {
      constant = dictionary_.synthesize(count, atoms, code, reconstruction_.data());
      y_.resize(m);
      for (Index r = 0; r < m; ++r) y_[r] = reconstruction_[r] + constant;
      const double* x = nullptr;
      if constexpr (std::is_same_v<Scalar, double>) {
        x = batch.sample(i);
      } else {
        x_.assign(batch.sample(i), batch.sample(i) + m);
        x = x_.data();
      }
      pairs_ = {x, y_.data(), m, 0, 0, 0};
      reconstruction_.setZero();
    }
    evaluate(count > 0, i, out);
  }

 private:
  void gather(Index m, double constant) {
    x_.clear();
    y_.clear();
    for (const RowIndex row : touched_) {
      x_.push_back(sample_[row]);
      y_.push_back(reconstruction_[row] + constant);
    }
    const Index count = static_cast<Index>(touched_.size());
    pairs_ = {x_.data(), y_.data(), count, m - count, 0, constant};
  }

  void evaluate(bool coded, Index i, Scores& out) {
    // Centred atoms cannot say anything about the mean; it is kept beside the code.
    const Fit result = fit(pairs_, dictionary_.norm() == AtomNorm::Centered);
    out.pearson[i] = coded ? result.correlation : 0;
    if (wanted_ == Correlations::PearsonAndSpearman) {
      out.spearman[i] = coded ? rank_correlation(pairs_, ranks_) : 0;
    }
    out.squared_error[i] = result.squared_error;
    out.deviation[i] = result.deviation;
  }

  const CodingDictionary<Scalar>& dictionary_;
  Correlations wanted_;
  Vector<Scalar> reconstruction_, sample_;
  std::vector<bool> marked_;
  std::vector<RowIndex> touched_;
  std::vector<double> x_, y_;
  Pairs pairs_;
  RankBuffers ranks_;
};

template <class Scalar>
Pairs pairs_of(std::span<const Scalar> x,
               std::span<const Scalar> y,
               std::vector<double>& x_copy,
               std::vector<double>& y_copy) {
  x_copy.assign(x.begin(), x.end());
  y_copy.assign(y.begin(), y.end());
  return {x_copy.data(), y_copy.data(), static_cast<Index>(std::min(x.size(), y.size())), 0, 0, 0};
}

}  // namespace

template <class Scalar>
double pearson(std::span<const Scalar> x, std::span<const Scalar> y) {
  std::vector<double> x_copy, y_copy;
  return fit(pairs_of(x, y, x_copy, y_copy), false).correlation;
}

template <class Scalar>
double spearman(std::span<const Scalar> x, std::span<const Scalar> y) {
  std::vector<double> x_copy, y_copy;
  RankBuffers buffers;
  return rank_correlation(pairs_of(x, y, x_copy, y_copy), buffers);
}

template <class Scalar>
Scores score(const CodingDictionary<Scalar>& dictionary,
             const Batch<Scalar>& batch,
             const Codes<Scalar>& codes,
             Correlations wanted,
             ThreadPool& pool) {
  const Index n = batch.samples();
  Scores scores;
  scores.pearson.resize(n);
  scores.squared_error.resize(n);
  scores.deviation.resize(n);
  if (wanted == Correlations::PearsonAndSpearman) scores.spearman.resize(n);
  std::vector<std::unique_ptr<Scorer<Scalar>>> scorers(pool.threads());
  pool.run((n + kBlock - 1) / kBlock, [&](Index block, int worker) {
    if (!scorers[worker]) {
      scorers[worker] = std::make_unique<Scorer<Scalar>>(dictionary, wanted);
    }
    for (Index i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
      scorers[worker]->score(batch, codes.columns.view(), i, scores);
    }
  });
  return scores;
}

void Evaluator::add(const Scores& scores, Index dimension, Index code_nonzeros) {
  samples_ += static_cast<Index>(scores.pearson.size());
  dimension_ = dimension;
  code_nonzeros_ += code_nonzeros;
  for (const double value : scores.pearson) pearson_ += value;
  for (const double value : scores.spearman) spearman_ += value;
  for (const double value : scores.squared_error) squared_error_ += value;
  for (const double value : scores.deviation) deviation_ += value;
}

Evaluation Evaluator::result() const {
  Evaluation result;
  result.samples = samples_;
  if (samples_ == 0) return result;
  const double n = static_cast<double>(samples_);
  result.pearson = pearson_ / n;
  result.spearman = spearman_ / n;
  result.mse = squared_error_ / (n * static_cast<double>(dimension_));
  result.explained_variance = deviation_ > 0 ? 1 - squared_error_ / deviation_ : 0;
  result.code_nonzeros = static_cast<double>(code_nonzeros_) / n;
  return result;
}

template double pearson<double>(std::span<const double>, std::span<const double>);
template double pearson<float>(std::span<const float>, std::span<const float>);
template double spearman<double>(std::span<const double>, std::span<const double>);
template double spearman<float>(std::span<const float>, std::span<const float>);
template Scores score(const CodingDictionary<double>&,
                      const Batch<double>&,
                      const Codes<double>&,
                      Correlations,
                      ThreadPool&);
template Scores score(const CodingDictionary<float>&,
                      const Batch<float>&,
                      const Codes<float>&,
                      Correlations,
                      ThreadPool&);

}  // namespace nodl
