// Sec. 4.1: the image stream, learned and evaluated.
#pragma once

#include <array>
#include <string>

#include "nodl/nodl.h"
#include "support/paper_data.h"
#include "support/sanitized.h"

namespace nodl::test {

struct ImageOutcome {
  double alive = 0;
  std::array<double, 3> pearson{};  // oxford, flowers, animals (test images)
};

/// 1800 oxford images, then `second` of flowers and animals mixed, in batches of 200.
inline ImageOutcome learn_images(Options options, Index second, std::uint64_t seed) {
  options.seed = seed;
  options.batch_size = 200;
  Learner<double> learner(1024, options);
  const auto feed = [&](const Matrix<double>& x, Index count) {
    learner.begin_call();
    for (Index i = 0; i < shortened(count, 600); i += 200) {
      learner.learn_batch(Batch<double>::dense(x.col(i).data(), 1024, 200, 1024));
    }
  };
  feed(load_images("oxford_train_32.npy"), 1800);
  feed(shuffled_together(
           load_images("flowers_train_32.npy"), load_images("animals_train_32.npy"), seed),
       second);
  ImageOutcome outcome;
  outcome.alive = static_cast<double>(learner.model().dictionary.alive());
  const CodingDictionary<double> dictionary(learner.model().dictionary, options.coding.atom_norm);
  const std::array<std::string, 3> names = {"oxford", "flowers", "animals"};
  for (std::size_t set = 0; set < names.size(); ++set) {
    const Matrix<double> x = load_images(names[set] + "_test_32.npy");
    const Batch<double> batch = Batch<double>::dense(x).middle(0, shortened(x.cols(), 100));
    const Codes<double> codes = learner.encode(batch);
    Evaluator evaluator;
    evaluator.add(score(dictionary, batch, codes, Correlations::Pearson, learner.pool()),
                  1024,
                  codes.columns.nonzeros());
    outcome.pearson[set] = evaluator.result().pearson;
  }
  return outcome;
}

inline ImageOutcome mean_over_seeds(const Options& options, Index second, Index seeds) {
  ImageOutcome mean;
  const double n = static_cast<double>(seeds);
  for (Index seed = 1; seed <= shortened(seeds, 1); ++seed) {
    const ImageOutcome one = learn_images(options, second, static_cast<std::uint64_t>(seed));
    mean.alive += one.alive / n;
    for (std::size_t set = 0; set < 3; ++set) mean.pearson[set] += one.pearson[set] / n;
  }
  return mean;
}

}  // namespace nodl::test
