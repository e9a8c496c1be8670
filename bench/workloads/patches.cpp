// P1, P2, P3, P8: natural 12x12 patches, dense atoms, lambda 0.1.
#include <algorithm>

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

constexpr Index kHeldout = 10000;
constexpr double kLambda = 0.1;

// As SPAMS and scikit-learn learn: atoms live in the unit ball and are used as they are, past
// batches fade, and one sweep over the atoms a batch.
Options patch_options() {
  Options options;
  options.batch_size = 512;
  options.coding.coder = Coder::Lars;
  options.coding.lambda = kLambda;
  options.coding.atom_norm = AtomNorm::Raw;
  options.memory.memory = MemoryKind::Mairal;
  options.update.atom_nonzeros = 144;
  options.update.max_sweeps = 1;
  apply_method(options, Method::Odl);
  return options;
}
constexpr const char* kSettings =
    "odl, lars with lambda 0.1, atoms raw in the unit ball, mairal, 1 sweep, batch 512";

Samples load(const Context& context, Index train) {
  return patches(context.cache, context.data, train, context.shortened(kHeldout));
}

template <class Scalar>
Result learn(const Context& context,
             const std::string& id,
             const Samples& samples,
             Index count,
             Index atoms) {
  Result result{.id = id, .what = "train", .settings = kSettings};
  const Matrix<Scalar> train = samples.train.leftCols(count).cast<Scalar>();
  const Batch<Scalar> batch = Batch<Scalar>::dense(train);
  result.dimension = train.rows();
  result.atoms = atoms;
  const Matrix<Scalar> start =
      start_dictionary(context.cache, "patches", samples, atoms).cast<Scalar>();
  const HeapMeter heap;
  Learner<Scalar> learner(start_from(start, patch_options()), context.threads);
  result.seconds = measure([&] { feed(learner, batch, result); });
  result.heap = static_cast<double>(heap.peak());
  result.heap_allowed = allowed_heap<Scalar>(train.rows(), atoms, 512);
  measure_dense_phases(context, learner, batch, result);
  result.model = training_model(context, result);
  const Matrix<Scalar> learned = learner.model().dictionary.to_dense();
  result.objective = heldout_objective(
      learned.template cast<double>(), samples.heldout, learner.model().options.coding);
  if (!context.dictionary_out.empty()) io::write_rows(context.dictionary_out, learned);
  return result;
}

Index samples_for_atoms(const Context& context, Index atoms) {
  return std::max(atoms, context.shortened(20480));
}

/// Patches are encoded in a dictionary that was learned from them, the same for everybody.
Matrix<double> learned_atoms(const Context& context, const Samples& samples, Index atoms) {
  const std::filesystem::path file =
      context.cache / ("patches_learned_" + std::to_string(atoms) + ".npy");
  if (!std::filesystem::exists(file)) {
    Context first = context;
    first.dictionary_out = file.string();
    learn<float>(first, "P3", samples, samples_for_atoms(context, atoms), atoms);
  }
  return io::read_rows(file.string());
}

}  // namespace

template <class Scalar>
Result train_patches(const Context& context, const std::string& id, Index samples, Index atoms) {
  const Index k = context.atoms > 0 ? context.atoms : atoms;
  const Index n = context.shortened(samples);
  return learn<Scalar>(context, id, load(context, std::max(n, k)), n, k);
}

template <class Scalar>
Result encode_patches(const Context& context, Index atoms) {
  const Index k = context.atoms > 0 ? context.atoms : atoms;
  const Samples samples = load(context, samples_for_atoms(context, k));
  Result result{.id = "P3", .what = "encode", .settings = kSettings};
  const Matrix<Scalar> atoms_read = learned_atoms(context, samples, k).cast<Scalar>();
  const Matrix<Scalar> heldout = samples.heldout.cast<Scalar>();
  const Batch<Scalar> batch = Batch<Scalar>::dense(heldout);
  result.dimension = heldout.rows();
  result.atoms = result.atoms_left = k;
  result.samples = batch.samples();
  Learner<Scalar> learner(start_from(atoms_read, patch_options()), context.threads);
  Codes<Scalar> codes;
  const HeapMeter heap;
  result.seconds = measure([&] { codes = learner.encode(batch); });
  result.heap = static_cast<double>(heap.peak());
  result.code_nonzeros =
      static_cast<double>(codes.columns.nonzeros()) / static_cast<double>(result.samples);
  const CodingDictionary<Scalar> D(learner.model().dictionary, AtomNorm::Raw);
  result.objective = objective(D, batch, codes, kLambda, learner.pool());
  measure_dense_phases(context, learner, batch, result);
  return result;
}

template <class Scalar>
Scaling patch_scaling(const Context& context, const std::string& id, int rounds) {
  const Index k = context.atoms > 0 ? context.atoms : id == "P2" || id == "P3" ? 1024 : 256;
  const Samples samples = load(context, samples_for_atoms(context, k));
  if (id == "P3") {
    const Matrix<Scalar> heldout = samples.heldout.cast<Scalar>();
    const Matrix<Scalar> atoms = learned_atoms(context, samples, k).cast<Scalar>();
    return {id, "encode", k, scaling_shares(coding(heldout, atoms, patch_options(), 2048), rounds)};
  }
  const Matrix<Scalar> train = samples.train.cast<Scalar>();
  const Matrix<Scalar> start =
      start_dictionary(context.cache, "patches", samples, k).cast<Scalar>();
  const Index batches = std::clamp<Index>(4096 / k, 1, 16);
  return {id, "train", k, scaling_shares(learning(train, start, patch_options(), batches), rounds)};
}

double judge_patches(const Context& context, const std::string& dictionary) {
  const Samples samples = load(context, 1);
  return heldout_objective(io::read_rows(dictionary), samples.heldout, patch_options().coding);
}

template Result train_patches<float>(const Context&, const std::string&, Index, Index);
template Result train_patches<double>(const Context&, const std::string&, Index, Index);
template Result encode_patches<float>(const Context&, Index);
template Result encode_patches<double>(const Context&, Index);
template Scaling patch_scaling<float>(const Context&, const std::string&, int);
template Scaling patch_scaling<double>(const Context&, const std::string&, int);

}  // namespace nodl::bench
