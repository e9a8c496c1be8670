// Every coder, way of storing atoms and way of being born once, in little time: what matters here
// is what a sanitizer sees.
#include <gtest/gtest.h>

#include "support/streams.h"

namespace nodl {
namespace {

template <class Scalar>
Model<Scalar> learned(const Options& options, bool sparse_samples, int threads) {
  constexpr Index m = 33, n = 70;  // not multiples of any block
  Learner<Scalar> learner(m, options, threads);
  for (Index batch = 0; batch < 3; ++batch) {
    const Matrix<Scalar> X = test::latent_samples(m, 11 * batch, 11, n, 1 + batch, 70 + 2 * batch)
                                 .template cast<Scalar>();
    const SparseMatrix<Scalar> sparse = test::to_sparse<Scalar>(X);
    learner.learn_batch(sparse_samples ? Batch<Scalar>::sparse(sparse) : Batch<Scalar>::dense(X));
  }
  return learner.model();
}

template <class Scalar>
void learn_on_one_and_three_threads(const Options& options) {
  for (const bool sparse_samples : {false, true}) {
    EXPECT_TRUE(test::same_bits(learned<Scalar>(options, sparse_samples, 1),
                                learned<Scalar>(options, sparse_samples, 3)));
  }
}

TEST(Sanitized, LearnerWithEveryCoder) {
  for (const auto& [coder, name] : EnumNames<Coder>::table) {
    for (const Index atom_nonzeros : {5, 33}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(atom_nonzeros));
      Options options;
      options.atoms = 9;
      options.coding.coder = coder;
      options.coding.code_nonzeros = 3;
      options.update.atom_nonzeros = atom_nonzeros;
      options.birth.max_births = 7;
      learn_on_one_and_three_threads<double>(options);
      learn_on_one_and_three_threads<float>(options);
    }
  }
}

TEST(Sanitized, LearnerWithEveryKindOfBirthAndDeath) {
  for (const auto& [init, name] : EnumNames<BirthInit>::table) {
    for (const auto& [method, method_name] : EnumNames<Method>::table) {
      SCOPED_TRACE(std::string(name) + " " + std::string(method_name));
      Options options = preset(Preset::Released);
      options.atoms = 70;  // more than a panel
      options.coding.code_nonzeros = 4;
      options.coding.refit = true;
      options.birth.birth_init = init;
      options.birth.max_births = 9;
      apply_method(options, method);
      learn_on_one_and_three_threads<double>(options);
    }
  }
}

TEST(Sanitized, LeastSquares) {
  Options options;
  options.atoms = 9;
  options.coding.code_nonzeros = 100;
  learn_on_one_and_three_threads<double>(options);
  learn_on_one_and_three_threads<float>(options);
}

}  // namespace
}  // namespace nodl
