// A forest of 50 trees (Breiman 2001): bootstrap samples, the square root of the features at each
// node, Gini impurity, thresholds at the 32-quantiles of a feature. Written here because what
// Debian offers (OpenCV's ml module) is a hundred times its size.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "classification.h"
#include "nodl/random.h"

namespace nodl::study {
namespace {

constexpr int kTrees = 50;
constexpr int kDepth = 12;
constexpr double kLeastLeaf = 5;
constexpr std::size_t kBins = 32;

/// Features by the quantile they fall into: a split is then found in one pass over the rows.
struct Binned {
  explicit Binned(const Labelled& data) : labels(data.labels) {
    bins.resize(data.samples(), data.features.cols());
    std::vector<double> sorted(static_cast<std::size_t>(data.samples()));
    for (Index j = 0; j < data.features.cols(); ++j) {
      for (Index i = 0; i < data.samples(); ++i) {
        sorted[static_cast<std::size_t>(i)] = data.features(i, j);
      }
      std::sort(sorted.begin(), sorted.end());
      std::vector<double> edges;
      for (std::size_t b = 1; b < kBins; ++b) edges.push_back(sorted[b * sorted.size() / kBins]);
      edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
      for (Index i = 0; i < data.samples(); ++i) {
        bins(i, j) = static_cast<std::uint8_t>(
            std::lower_bound(edges.begin(), edges.end(), data.features(i, j)) - edges.begin());
      }
      thresholds.push_back(std::move(edges));
    }
  }

  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> bins;
  std::vector<std::vector<double>> thresholds;  // bin b holds values up to thresholds[b]
  const std::vector<int>& labels;
};

struct Node {
  Index feature = -1;  // -1: a leaf
  double threshold = 0;
  std::size_t below = 0;  // child for values up to the threshold; the other one follows it
  double vote = 0;        // mean label
};

class Tree {
 public:
  Tree(const Binned& data, Random random) : data_(data), random_(random) {
    std::vector<Index> rows(data.labels.size());
    for (Index& row : rows) row = static_cast<Index>(random_.below(rows.size()));
    nodes_.emplace_back();
    grow(0, rows, 0);
  }

  double vote(const Matrix<double>& test, Index row) const {
    std::size_t at = 0;
    while (nodes_[at].feature >= 0) {
      at = nodes_[at].below + (test(row, nodes_[at].feature) > nodes_[at].threshold ? 1 : 0);
    }
    return nodes_[at].vote;
  }

 private:
  struct Split {
    Index feature = -1;
    std::size_t bin = 0;  // the last one below
    double impurity = std::numeric_limits<double>::infinity();
  };

  double label(Index row) const { return data_.labels[static_cast<std::size_t>(row)]; }

  /// The best threshold of one feature; impurity is n - (sum of labels)^2 / n on both sides, which
  /// orders splits as Gini does.
  void try_feature(Index feature, const std::vector<Index>& rows, Split& best) const {
    std::array<double, kBins> count{}, sum{};
    double total = 0;
    for (const Index row : rows) {
      const std::size_t bin = data_.bins(row, feature);
      count[bin] += 1;
      sum[bin] += label(row);
      total += label(row);
    }
    const auto n = static_cast<double>(rows.size());
    double left = 0;
    double left_sum = 0;
    for (std::size_t b = 0; b < data_.thresholds[static_cast<std::size_t>(feature)].size(); ++b) {
      left += count[b];
      left_sum += sum[b];
      if (left < kLeastLeaf || n - left < kLeastLeaf) continue;
      const double right_sum = total - left_sum;
      const double impurity = n - left_sum * left_sum / left - right_sum * right_sum / (n - left);
      if (impurity < best.impurity) best = {feature, b, impurity};
    }
  }

  void grow(std::size_t at, const std::vector<Index>& rows, int depth) {
    double sum = 0;
    for (const Index row : rows) sum += label(row);
    nodes_[at].vote = sum / static_cast<double>(rows.size());
    if (depth == kDepth || std::abs(nodes_[at].vote) == 1) return;
    Split best;
    const Index all = data_.bins.cols();
    const auto tries = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(all))));
    for (Index i = 0; i < tries; ++i) {
      try_feature(static_cast<Index>(random_.below(static_cast<std::uint64_t>(all))), rows, best);
    }
    if (best.feature < 0) return;
    std::vector<Index> below, above;
    for (const Index row : rows) {
      (data_.bins(row, best.feature) > best.bin ? above : below).push_back(row);
    }
    const std::size_t children = nodes_.size();
    nodes_[at].feature = best.feature;
    nodes_[at].threshold = data_.thresholds[static_cast<std::size_t>(best.feature)][best.bin];
    nodes_[at].below = children;
    nodes_.resize(children + 2);
    grow(children, below, depth + 1);
    grow(children + 1, above, depth + 1);
  }

  const Binned& data_;
  Random random_;
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<int> random_forest(const Labelled& train,
                               const Matrix<double>& test,
                               std::uint64_t seed) {
  Vector<double> votes = Vector<double>::Zero(test.rows());
  const Binned binned(train);
  for (int i = 0; i < kTrees; ++i) {
    const Tree tree(binned,
                    Random(seed, Purpose::ChooseSamples, 2000, static_cast<std::uint32_t>(i)));
    for (Index row = 0; row < test.rows(); ++row) votes(row) += tree.vote(test, row);
  }
  std::vector<int> predicted;
  for (Index row = 0; row < test.rows(); ++row) predicted.push_back(votes(row) >= 0 ? 1 : -1);
  return predicted;
}

}  // namespace nodl::study
