#include "nodl/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

/// Two passes: means first, so that a large mean costs no digits.
double correlation(const Pairs& pairs) {
  const double n = static_cast<double>(pairs.count + pairs.rest);
  const double rest = static_cast<double>(pairs.rest);
  if (n == 0) return 0;
  double mean_x = rest * pairs.rest_x, mean_y = rest * pairs.rest_y;
  double square_x = rest * pairs.rest_x * pairs.rest_x;
  double square_y = rest * pairs.rest_y * pairs.rest_y;
  for (Index i = 0; i < pairs.count; ++i) {
    mean_x += pairs.x[i];
    mean_y += pairs.y[i];
    square_x += pairs.x[i] * pairs.x[i];
    square_y += pairs.y[i] * pairs.y[i];
  }
  mean_x /= n;
  mean_y /= n;
  const double dx = pairs.rest_x - mean_x, dy = pairs.rest_y - mean_y;
  double xx = rest * dx * dx, yy = rest * dy * dy, xy = rest * dx * dy;
  for (Index i = 0; i < pairs.count; ++i) {
    const double a = pairs.x[i] - mean_x, b = pairs.y[i] - mean_y;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  // A constant has no correlation with anything; what is left of it is rounding.
  const double rounding = 64 * std::numeric_limits<double>::epsilon();
  if (xx <= rounding * rounding * square_x || yy <= rounding * rounding * square_y) return 0;
  return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
}

/// Average ranks of `count` explicit values among them and `rest` more of value `rest_value`, whose
/// own rank is returned.
double average_ranks(const double* values,
                     Index count,
                     Index rest,
                     double rest_value,
                     std::vector<Index>& order,
                     double* ranks) {
  order.resize(count);
  std::iota(order.begin(), order.end(), Index(0));
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  double rest_rank = 0;
  bool rest_ranked = rest == 0;
  double below = 0;  // values ranked so far
  Index i = 0;
  while (i < count || !rest_ranked) {
    const bool rest_first = !rest_ranked && (i == count || rest_value <= values[order[i]]);
    const double value = rest_first ? rest_value : values[order[i]];
    Index end = i;
    while (end < count && values[order[end]] == value) ++end;
    const double tied = static_cast<double>(end - i) + (rest_first ? static_cast<double>(rest) : 0);
    const double rank = below + (tied + 1) / 2;
    for (; i < end; ++i) ranks[order[i]] = rank;
    if (rest_first) {
      rest_rank = rank;
      rest_ranked = true;
    }
    below += tied;
  }
  return rest_rank;
}

struct RankBuffers {
  std::vector<Index> order;
  std::vector<double> x, y;
};

double rank_correlation(const Pairs& pairs, RankBuffers& buffers) {
  buffers.x.resize(pairs.count);
  buffers.y.resize(pairs.count);
  Pairs ranks = pairs;
  ranks.rest_x = average_ranks(
      pairs.x, pairs.count, pairs.rest, pairs.rest_x, buffers.order, buffers.x.data());
  ranks.rest_y = average_ranks(
      pairs.y, pairs.count, pairs.rest, pairs.rest_y, buffers.order, buffers.y.data());
  ranks.x = buffers.x.data();
  ranks.y = buffers.y.data();
  return correlation(ranks);
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
      x_.assign(batch.sample(i), batch.sample(i) + m);
      y_.resize(m);
      for (Index r = 0; r < m; ++r) y_[r] = reconstruction_[r] + constant;
      pairs_ = {x_.data(), y_.data(), m, 0, 0, 0};
      reconstruction_.setZero();
    }
    evaluate(m, count > 0, i, out);
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

  void evaluate(Index m, bool coded, Index i, Scores& out) {
    out.pearson[i] = coded ? correlation(pairs_) : 0;
    if (wanted_ == Correlations::PearsonAndSpearman) {
      out.spearman[i] = coded ? rank_correlation(pairs_, ranks_) : 0;
    }
    const double rest = static_cast<double>(pairs_.rest);
    double mean = rest * pairs_.rest_x;
    for (Index r = 0; r < pairs_.count; ++r) mean += pairs_.x[r];
    mean /= static_cast<double>(m);
    // Centred atoms cannot say anything about the mean; it is kept beside the code.
    const double shift = dictionary_.norm() == AtomNorm::Centered ? mean : 0;
    const auto square = [](double value) { return value * value; };
    double error = rest * square(pairs_.rest_x - pairs_.rest_y - shift);
    double deviation = rest * square(pairs_.rest_x - mean);
    for (Index r = 0; r < pairs_.count; ++r) {
      error += square(pairs_.x[r] - pairs_.y[r] - shift);
      deviation += square(pairs_.x[r] - mean);
    }
    out.squared_error[i] = error;
    out.deviation[i] = deviation;
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
  return correlation(pairs_of(x, y, x_copy, y_copy));
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
