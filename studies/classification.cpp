#include "classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "nodl/random.h"

namespace nodl::study {
namespace {

constexpr Index kFolds = 10;

Labelled shuffled(const Labelled& data, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(data.samples()));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, Purpose::ChooseSamples, 1000);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Labelled result{Matrix<double>(data.samples(), data.features.cols()), {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.features.row(static_cast<Index>(i)) = data.features.row(order[i]);
    result.labels.push_back(data.labels[static_cast<std::size_t>(order[i])]);
  }
  return result;
}

/// Rows [first, last) as a test part, all others to learn from; columns in the order of their rank,
/// with mean 0 and deviation 1 in the training part.
struct Fold {
  Labelled train;
  Matrix<double> test;
  std::vector<int> truth;
};

Fold fold_of(const Labelled& data, Index first, Index last) {
  const Index rest = data.samples() - (last - first);
  Fold fold{{Matrix<double>(rest, data.features.cols()), {}},
            data.features.middleRows(first, last - first),
            {data.labels.begin() + first, data.labels.begin() + last}};
  fold.train.features << data.features.topRows(first), data.features.bottomRows(rest - first);
  fold.train.labels.assign(data.labels.begin(), data.labels.begin() + first);
  fold.train.labels.insert(fold.train.labels.end(), data.labels.begin() + last, data.labels.end());
  const std::vector<Index> order = ranked_features(fold.train);
  fold.train.features = Matrix<double>(fold.train.features(Eigen::all, order));
  fold.test = Matrix<double>(fold.test(Eigen::all, order));
  for (Index j = 0; j < fold.test.cols(); ++j) {
    const double mean = fold.train.features.col(j).mean();
    const double spread = std::sqrt((fold.train.features.col(j).array() - mean).square().mean());
    const double scale = spread > 0 ? 1 / spread : 0;
    fold.train.features.col(j) = (fold.train.features.col(j).array() - mean) * scale;
    fold.test.col(j) = (fold.test.col(j).array() - mean) * scale;
  }
  return fold;
}

double errors(const std::vector<int>& predicted, const std::vector<int>& truth) {
  double wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) wrong += predicted[i] != truth[i];
  return wrong;
}

}  // namespace

std::vector<Index> ranked_features(const Labelled& data) {
  const auto n = static_cast<double>(data.samples());
  const auto positive = static_cast<double>(std::count(data.labels.begin(), data.labels.end(), 1));
  const double negative = n - positive;
  std::vector<double> t(static_cast<std::size_t>(data.features.cols()));
  for (Index j = 0; j < data.features.cols(); ++j) {
    double sum[2] = {0, 0};
    double square = 0;
    for (Index i = 0; i < data.samples(); ++i) {
      const double x = data.features(i, j);
      sum[data.labels[static_cast<std::size_t>(i)] == 1] += x;
      square += x * x;
    }
    const double between = sum[1] / positive - sum[0] / negative;
    const double within =
        square - sum[1] * sum[1] / positive - sum[0] * sum[0] / negative;  // pooled
    t[static_cast<std::size_t>(j)] = within > 0 ? std::abs(between) / std::sqrt(within) : 0;
  }
  std::vector<Index> order(t.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return t[static_cast<std::size_t>(a)] > t[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<int> naive_bayes(const Labelled& train, const Matrix<double>& test) {
  // Gaussian features; variances bounded below, for features that are constant in a class.
  constexpr double kLeastVariance = 1e-9;
  Vector<double> score = Vector<double>::Zero(test.rows());
  for (const int label : {1, -1}) {
    std::vector<Index> rows;
    for (Index i = 0; i < train.samples(); ++i) {
      if (train.labels[static_cast<std::size_t>(i)] == label) rows.push_back(i);
    }
    const Matrix<double> part = train.features(rows, Eigen::all);
    const Eigen::RowVectorXd mean = part.colwise().mean();
    const Eigen::RowVectorXd variance =
        ((part.rowwise() - mean).array().square().colwise().mean()).max(kLeastVariance);
    const double prior = std::log(static_cast<double>(rows.size()));
    const Vector<double> likelihood =
        -0.5 * ((test.rowwise() - mean).array().square().rowwise() / variance.array())
                   .rowwise()
                   .sum() -
        0.5 * variance.array().log().sum() + prior;
    score += label * likelihood;
  }
  std::vector<int> predicted;
  for (Index i = 0; i < test.rows(); ++i) predicted.push_back(score(i) >= 0 ? 1 : -1);
  return predicted;
}

std::vector<int> nearest_neighbour(const Labelled& train, const Matrix<double>& test) {
  constexpr std::size_t kVotes = 5;
  // |x - y|^2 up to |x|^2, which does not change the order.
  const Matrix<double> cross = train.features * test.transpose();
  const Vector<double> norms = train.features.rowwise().squaredNorm();
  std::vector<int> predicted;
  std::vector<Index> order(static_cast<std::size_t>(train.samples()));
  for (Index i = 0; i < test.rows(); ++i) {
    const Vector<double> distance = norms - 2 * cross.col(i);
    std::iota(order.begin(), order.end(), 0);
    const std::size_t votes = std::min(kVotes, order.size());
    std::partial_sort(order.begin(),
                      order.begin() + static_cast<std::ptrdiff_t>(votes),
                      order.end(),
                      [&](Index a, Index b) {
                        return distance(a) < distance(b) || (distance(a) == distance(b) && a < b);
                      });
    int sum = 0;
    for (std::size_t v = 0; v < votes; ++v) sum += train.labels[static_cast<std::size_t>(order[v])];
    predicted.push_back(sum >= 0 ? 1 : -1);
  }
  return predicted;
}

std::map<std::string, double> classification_errors(const Labelled& data,
                                                    const std::vector<Index>& counts,
                                                    std::uint64_t seed) {
  std::map<std::string, double> numbers;
  const Labelled mixed = shuffled(data, seed);
  const auto n = static_cast<double>(mixed.samples());
  std::set<Index> possible;  // no more than there are, and each once
  for (const Index count : counts) possible.insert(std::min(count, data.features.cols()));
  for (Index f = 0; f < kFolds; ++f) {
    const Fold fold =
        fold_of(mixed, f * mixed.samples() / kFolds, (f + 1) * mixed.samples() / kFolds);
    for (const Index count : possible) {
      const Labelled train{fold.train.features.leftCols(count), fold.train.labels};
      const Matrix<double> test = fold.test.leftCols(count);
      const auto add = [&](const char* name, const std::vector<int>& predicted) {
        numbers["error." + std::string(name) + "." + std::to_string(count)] +=
            errors(predicted, fold.truth) / n;
      };
      add("logistic", logistic_regression(train, test));
      add("bayes", naive_bayes(train, test));
      add("neighbour", nearest_neighbour(train, test));
      add("forest", random_forest(train, test, seed));
    }
  }
  return numbers;
}

}  // namespace nodl::study
