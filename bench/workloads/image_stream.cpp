// P5 and P6: the paper's stream of images (Fig. 2 and 3) with sparse atoms, preset `released`.
#include <array>

#include "heap_meter.h"
#include "nodl/io/sample_reader.h"
#include "sparse_update.h"
#include "training.h"
#include "workloads.h"

namespace nodl::bench {
namespace {

struct Figure {
  const char* size;  // in the names of the files
  Index atoms;
  Index atom_nonzeros;
  Index code_nonzeros;
  double group_penalty;
  const char* settings;
};
constexpr Figure kFigure2 = {"32", 100, 5, 204, 0.03, "released, nodl, 5 of 1024, 204 a code"};
constexpr Figure kFigure3 = {
    "100", 500, 50, 2000, 0.07, "released, nodl, 50 of 10000, dense codes"};
constexpr Index kDomain = 1800;  // samples
constexpr Index kTest = 1900;    // of each set

template <class Scalar>
Matrix<Scalar> load(const Context& context, const std::string& name, Index count) {
  const auto reader = io::open_samples((context.data / "images" / name).string());
  io::SampleBuffer<Scalar> buffer;
  return reader->read(count, buffer).matrix() / 255;
}

/// The second domain: flowers and animals in turn.
template <class Scalar>
Matrix<Scalar> mixed(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
  Matrix<Scalar> both(a.rows(), a.cols() + b.cols());
  for (Index i = 0; i < a.cols(); ++i) {
    both.col(2 * i) = a.col(i);
    both.col(2 * i + 1) = b.col(i);
  }
  return both;
}

}  // namespace

template <class Scalar>
std::vector<Result> image_stream(const Context& context, const std::string& id) {
  const Figure& figure = id == "P5" ? kFigure2 : kFigure3;
  const std::string train = std::string("_train_") + figure.size + ".npy";
  const std::string test = std::string("_test_") + figure.size + ".npy";
  if (!std::filesystem::exists(context.data / "images" / ("oxford" + train))) {
    return {{.id = id, .what = "train", .skipped = "no images in " + context.data.string()}};
  }
  Options options = preset(Preset::Released);
  options.atoms = context.atoms > 0 ? context.atoms : figure.atoms;
  options.coding.code_nonzeros = figure.code_nonzeros;
  options.update.atom_nonzeros = figure.atom_nonzeros;
  options.update.group_penalty = figure.group_penalty;
  options.batch_size = 200;
  options.seed = 1;
  apply_method(options, Method::Nodl);

  const Index domain = context.shortened(kDomain);
  const std::array<Matrix<Scalar>, 2> inputs = {
      load<Scalar>(context, "oxford" + train, domain),
      mixed<Scalar>(load<Scalar>(context, "flowers" + train, (domain + 1) / 2),
                    load<Scalar>(context, "animals" + train, (domain + 1) / 2))};
  Result result{.id = id, .what = "train", .settings = figure.settings};
  result.dimension = inputs[0].rows();
  result.atoms = options.atoms;
  const HeapMeter heap;
  Learner<Scalar> learner(result.dimension, options, context.threads);
  result.seconds = measure([&] {
    for (const Matrix<Scalar>& input : inputs) {
      learner.begin_call();
      feed(learner, Batch<Scalar>::dense(input), result);
    }
  });
  result.heap = static_cast<double>(heap.peak());
  result.more["births"] = static_cast<double>(learner.model().progress.births);

  Result coding{.id = id, .what = "encode", .settings = figure.settings};
  coding.dimension = result.dimension;
  coding.atoms = coding.atoms_left = result.atoms_left;
  for (const char* set : {"oxford", "flowers", "animals"}) {
    const Matrix<Scalar> x = load<Scalar>(context, set + test, context.shortened(kTest));
    const Batch<Scalar> batch = Batch<Scalar>::dense(x);
    Codes<Scalar> codes;
    const HeapMeter coding_heap;
    const Seconds seconds = measure([&] { codes = learner.encode(batch); });
    coding.heap = std::max(coding.heap, static_cast<double>(coding_heap.peak()));
    coding.seconds.cpu += seconds.cpu;
    coding.seconds.wall += seconds.wall;
    coding.samples += batch.samples();
    coding.code_nonzeros += static_cast<double>(codes.columns.nonzeros());
    Evaluator evaluator;
    const CodingDictionary<Scalar> D1(learner.model().dictionary, options.coding.atom_norm);
    evaluator.add(score(D1, batch, codes, Correlations::Pearson, learner.pool()),
                  coding.dimension,
                  codes.columns.nonzeros());
    coding.more[std::string("pearson_") + set] = evaluator.result().pearson;
  }
  coding.code_nonzeros /= static_cast<double>(coding.samples);

  const Batch<Scalar> again =
      Batch<Scalar>::dense(inputs[1]).middle(0, std::min<Index>(200, domain));
  return {result,
          coding,
          compare_updates(id, learner, again, 0),
          compare_updates(id, learner, again, options.birth.max_births)};
}

template std::vector<Result> image_stream<float>(const Context&, const std::string&);
template std::vector<Result> image_stream<double>(const Context&, const std::string&);

}  // namespace nodl::bench
