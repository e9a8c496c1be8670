// P4: 32x32 images, centred and of unit norm, dense atoms, 200 nonzeros a code.
#include "dense_phases.h"
#include "heap_meter.h"
#include "nodl/io/matrix_writer.h"
#include "objective.h"
#include "samples.h"
#include "scaling.h"
#include "training.h"
#include "workloads.h"

namespace nodl::bench {
namespace {

constexpr Index kTrain = 5700;
constexpr Index kHeldout = 2000;
constexpr Index kEncodeAtoms = 1000;
constexpr Index kTrainAtoms = 500;
constexpr Index kNonzeros = 200;

Options image_options() {
  Options options;
  options.batch_size = 200;
  options.coding.coder = Coder::Lars;
  options.coding.code_nonzeros = kNonzeros;
  options.coding.atom_norm = AtomNorm::Raw;
  options.memory.memory = MemoryKind::Mairal;
  options.update.atom_nonzeros = 1024;
  options.update.max_sweeps = 1;
  apply_method(options, Method::Odl);
  return options;
}
constexpr const char* kSettings =
    "odl, lars with 200 nonzeros, atoms raw in the unit ball, mairal, 1 sweep, batch 200";

template <class Scalar>
Result encode_images(const Context& context, const Samples& samples) {
  Result result{.id = "P4", .what = "encode", .settings = kSettings};
  const Matrix<Scalar> heldout = samples.heldout.cast<Scalar>();
  const Batch<Scalar> batch = Batch<Scalar>::dense(heldout);
  const Matrix<Scalar> atoms =
      start_dictionary(context.cache, "images", samples, kEncodeAtoms).cast<Scalar>();
  Learner<Scalar> learner(start_from(atoms, image_options()), context.threads);
  result.dimension = heldout.rows();
  result.atoms = result.atoms_left = kEncodeAtoms;
  result.samples = batch.samples();
  Codes<Scalar> codes;
  const HeapMeter heap;
  result.seconds = measure([&] { codes = learner.encode(batch); });
  result.heap = static_cast<double>(heap.peak());
  result.code_nonzeros =
      static_cast<double>(codes.columns.nonzeros()) / static_cast<double>(result.samples);
  const CodingDictionary<Scalar> D(learner.model().dictionary, AtomNorm::Raw);
  result.objective = objective(D, batch, codes, 0, learner.pool());
  measure_dense_phases(context, learner, batch, result);
  return result;
}

template <class Scalar>
Result train_images(const Context& context, const Samples& samples) {
  Result result{.id = "P4", .what = "train", .settings = kSettings};
  const Matrix<Scalar> train =
      samples.train.leftCols(context.shortened(kTrain)).template cast<Scalar>();
  const Batch<Scalar> batch = Batch<Scalar>::dense(train);
  result.dimension = train.rows();
  result.atoms = kTrainAtoms;
  const Matrix<Scalar> start =
      start_dictionary(context.cache, "images", samples, kTrainAtoms).cast<Scalar>();
  const HeapMeter heap;
  Learner<Scalar> learner(start_from(start, image_options()), context.threads);
  result.seconds = measure([&] { feed(learner, batch, result); });
  result.heap = static_cast<double>(heap.peak());
  result.heap_allowed = allowed_heap<Scalar>(train.rows(), kTrainAtoms, 200);
  measure_dense_phases(context, learner, batch, result);
  result.model = training_model(context, result);
  const Matrix<Scalar> learned = learner.model().dictionary.to_dense();
  result.objective = heldout_objective(
      learned.template cast<double>(), samples.heldout, learner.model().options.coding);
  if (!context.dictionary_out.empty()) io::write_rows(context.dictionary_out, learned);
  return result;
}

std::optional<Samples> load(const Context& context) {
  const Index train = std::max(kEncodeAtoms, context.shortened(kTrain));
  return images(context.cache, context.data, train, context.shortened(kHeldout));
}

}  // namespace

template <class Scalar>
std::vector<Result> dense_images(const Context& context) {
  const std::optional<Samples> samples = load(context);
  if (!samples)
    return {{.id = "P4", .what = "", .skipped = "no images in " + context.data.string()}};
  std::vector<Result> results;
  if (context.only != "train") results.push_back(encode_images<Scalar>(context, *samples));
  if (context.only != "encode") results.push_back(train_images<Scalar>(context, *samples));
  return results;
}

template <class Scalar>
std::vector<Scaling> image_scaling(const Context& context, int rounds) {
  const std::optional<Samples> samples = load(context);
  if (!samples) return {};
  const auto start = [&](Index k) -> Matrix<Scalar> {
    return start_dictionary(context.cache, "images", *samples, k).cast<Scalar>();
  };
  const Matrix<Scalar> train = samples->train.cast<Scalar>();
  const Matrix<Scalar> heldout = samples->heldout.cast<Scalar>();
  const Matrix<Scalar> few = start(kTrainAtoms), many = start(kEncodeAtoms);
  std::vector<Scaling> found;
  if (context.only != "train") {
    const MakePart part = coding(heldout, many, image_options(), 500);
    found.push_back({"P4", "encode", kEncodeAtoms, scaling_shares(part, rounds)});
  }
  if (context.only != "encode") {
    const MakePart part = learning(train, few, image_options(), 1);
    found.push_back({"P4", "train", kTrainAtoms, scaling_shares(part, rounds)});
  }
  return found;
}

double judge_images(const Context& context, const std::string& dictionary) {
  return heldout_objective(
      io::read_rows(dictionary), load(context).value().heldout, image_options().coding);
}

template std::vector<Result> dense_images<float>(const Context&);
template std::vector<Result> dense_images<double>(const Context&);
template std::vector<Scaling> image_scaling<float>(const Context&, int);
template std::vector<Scaling> image_scaling<double>(const Context&, int);

}  // namespace nodl::bench
