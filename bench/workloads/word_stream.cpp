// P7: the paper's word co-occurrences (Fig. 4): sparse samples, sparse atoms, preset `released`.
#include "heap_meter.h"
#include "nodl/io/sample_reader.h"
#include "training.h"
#include "workloads.h"

namespace nodl::bench {
namespace {

constexpr Index kDomain = 2600;  // training columns of each domain: 13 batches
constexpr Index kTest = 2750;
constexpr const char* kSettings = "released, nodl, raw atoms, 25 of 12883, 38 a code, c_k 10";

Options word_options(Index atoms) {
  Options options = preset(Preset::Released);
  options.atoms = atoms;
  options.batch_size = 200;
  options.coding.code_nonzeros = 38;
  options.coding.atom_norm = AtomNorm::Raw;
  options.update.atom_nonzeros = 25;
  options.update.group_penalty = 0.07;
  options.birth.max_births = 10;
  options.seed = 1;
  apply_method(options, Method::Nodl);
  return options;
}

/// Every second column of [first, past); odd ones train, even ones test.
template <class Scalar>
SparseMatrix<Scalar> columns(const std::string& file, Index first, Index past, Index count) {
  const auto reader = io::open_samples(file, {.transpose = true, .rows = {first, past, 2}});
  io::SampleBuffer<Scalar> buffer;
  reader->read(count, buffer);
  return std::move(buffer.sparse);
}

}  // namespace

template <class Scalar>
std::vector<Result> word_stream(const Context& context) {
  const std::string file = (context.data / "nlp" / "cooccurrence.mtx.gz").string();
  if (!std::filesystem::exists(file)) {
    return {{.id = "P7", .what = "train", .skipped = "no nlp in " + context.data.string()}};
  }
  const Options options = word_options(context.atoms > 0 ? context.atoms : 250);
  const Index domain = context.shortened(kDomain);
  const SparseMatrix<Scalar> biology = columns<Scalar>(file, 5500, 11000, domain);
  const SparseMatrix<Scalar> mathematics = columns<Scalar>(file, 0, 5500, domain);
  Result result{.id = "P7", .what = "train", .settings = kSettings};
  result.dimension = biology.rows;
  result.atoms = options.atoms;
  const HeapMeter heap;
  Learner<Scalar> learner(result.dimension, options, context.threads);
  result.seconds = measure([&] {
    for (const SparseMatrix<Scalar>* input : {&biology, &mathematics}) {
      learner.begin_call();
      feed(learner, Batch<Scalar>::sparse(*input), result);
    }
  });
  result.heap = static_cast<double>(heap.peak());
  result.heap_allowed = 1 << 30;
  result.more["births"] = static_cast<double>(learner.model().progress.births);
  result.more["alive"] = static_cast<double>(learner.model().dictionary.alive());

  Result coding{.id = "P7", .what = "encode", .settings = kSettings};
  coding.dimension = result.dimension;
  coding.atoms = coding.atoms_left = result.atoms_left;
  for (const Index first : {5501, 1}) {
    const SparseMatrix<Scalar> x =
        columns<Scalar>(file, first, first + 5499, context.shortened(kTest));
    const Batch<Scalar> batch = Batch<Scalar>::sparse(x);
    Codes<Scalar> codes;
    const HeapMeter coding_heap;
    const Seconds seconds = measure([&] { codes = learner.encode(batch); });
    coding.heap = std::max(coding.heap, static_cast<double>(coding_heap.peak()));
    coding.seconds.cpu += seconds.cpu;
    coding.seconds.wall += seconds.wall;
    coding.samples += batch.samples();
    coding.code_nonzeros += static_cast<double>(codes.columns.nonzeros());
    Evaluator evaluator;
    const CodingDictionary<Scalar> D(learner.model().dictionary, AtomNorm::Raw);
    evaluator.add(score(D, batch, codes, Correlations::Pearson, learner.pool()),
                  coding.dimension,
                  codes.columns.nonzeros());
    coding.more[first == 1 ? "pearson_mathematics" : "pearson_biology"] =
        evaluator.result().pearson;
  }
  coding.code_nonzeros /= static_cast<double>(coding.samples);
  return {result, coding};
}

template std::vector<Result> word_stream<float>(const Context&);
template std::vector<Result> word_stream<double>(const Context&);

}  // namespace nodl::bench
