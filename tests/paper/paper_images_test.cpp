// Sec. 4.1 with preset `paper`: LASSO codes, 1800 urban, then 3600 natural images, 200 nonzeros per
// code, 5 per atom, lambda_g 0.03, gamma 0.9, batch 200.
#include <gtest/gtest.h>

#include "support/image_stream.h"

namespace nodl::test {
namespace {

Options figure_2(Method method, Index atoms) {
  Options options = preset(Preset::Paper);
  options.atoms = atoms;
  options.coding.code_nonzeros = 200;
  options.update.atom_nonzeros = 5;
  apply_method(options, method);
  return options;
}

TEST(PaperImages, NodlBeatsOdlOf500AtomsWithFewerThan400) {
  NODL_NEEDS_PAPER_DATA("images/oxford_train_32.npy");
  const ImageOutcome odl = learn_images(figure_2(Method::Odl, 500), 3600, 1);
  const ImageOutcome nodl = learn_images(figure_2(Method::Nodl, 25), 3600, 1);
  NODL_ONLY_RUN_UNDER_SANITIZERS();
  EXPECT_LT(nodl.alive, 400);
  for (std::size_t set = 0; set < 3; ++set) EXPECT_GT(nodl.pearson[set], odl.pearson[set]);
}

TEST(PaperImages, ResidualBirthsNeedFewerAtoms) {
  NODL_NEEDS_PAPER_DATA("images/oxford_train_32.npy");
  Options options = figure_2(Method::Nodl, 25);
  options.birth.birth_init = BirthInit::Residual;
  options.birth.max_births = 100;
  const ImageOutcome outcome = mean_over_seeds(options, 3600, 3);
  NODL_ONLY_RUN_UNDER_SANITIZERS();
  EXPECT_LE(outcome.alive, 330);
  EXPECT_GE(outcome.pearson[0], 0.88);
  EXPECT_GE(outcome.pearson[1], 0.87);
  EXPECT_GE(outcome.pearson[2], 0.885);
}

}  // namespace
}  // namespace nodl::test
