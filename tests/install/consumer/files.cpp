// Learns, writes a model, reads it again and writes codes.
#include <nodl/io/matrix_writer.h>
#include <nodl/io/model_file.h>
#include <nodl/nodl.h>
#include <nodl/synthetic.h>

#include <cstdio>
#include <variant>

int main() {
  const nodl::SyntheticOptions stream{.dimension = 200, .nonzeros = 10};
  const nodl::Matrix<double> samples =
      nodl::synthetic_samples(stream, 0, nodl::Split::Train, 0, 100);
  nodl::Learner<double> learner(samples.rows(), nodl::Options{});
  learner.learn_batch(nodl::Batch<double>::dense(samples));
  nodl::io::save_model(learner.model(), "model.nodl");
  nodl::AnyModel model = nodl::io::load_model("model.nodl");
  nodl::Learner<double> again(std::get<nodl::Model<double>>(std::move(model)));
  const nodl::Codes<double> codes = again.encode(nodl::Batch<double>::dense(samples));
  nodl::io::write_rows("samples.npy", samples);
  std::printf("%ld codes, %ld nonzeros\n",
              static_cast<long>(codes.samples()),
              static_cast<long>(codes.columns.nonzeros()));
  return codes.samples() == samples.cols() ? 0 : 1;
}
