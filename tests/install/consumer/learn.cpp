// Needs the learner only.
#include <nodl/nodl.h>
#include <nodl/synthetic.h>

#include <cstdio>

int main() {
  const nodl::SyntheticOptions stream{.dimension = 200, .nonzeros = 10};
  const nodl::Matrix<double> samples =
      nodl::synthetic_samples(stream, 0, nodl::Split::Train, 0, 100);
  nodl::Learner<double> learner(samples.rows(), nodl::Options{});
  const nodl::BatchSummary summary = learner.learn_batch(nodl::Batch<double>::dense(samples));
  std::printf("%s: %ld atoms, Pearson %.3f\n",
              NODL_VERSION,
              static_cast<long>(summary.atoms),
              summary.pearson_after);
  return summary.samples == 100 && summary.atoms > 0 ? 0 : 1;
}
