// --memory-limit: the formula against what the heap really held, and births against the formula.
#include <gtest/gtest.h>

#include "heap_meter.h"
#include "nodl/error.h"
#include "nodl/footprint.h"
#include "nodl/io/model_file.h"
#include "support/streams.h"

namespace nodl {
namespace {

using bench::HeapMeter;

struct Shape {
  const char* name;
  Index m, k, n;
  Index atom_nonzeros;
  bool sparse_samples;
  Coder coder = Coder::Lars;
  Index code_nonzeros = 20;
};

const Shape kShapes[] = {
    {"dense", 400, 300, 100, 400, false},
    {"wide", 3000, 200, 100, 3000, false},
    {"many atoms", 100, 900, 60, 100, false},
    {"large batch", 200, 100, 2000, 200, false},
    {"sparse atoms", 2000, 400, 100, 40, false},
    {"sparse samples", 4000, 300, 100, 40, true},
    {"least squares", 300, 200, 200, 300, false, Coder::Threshold, 200},
    {"coordinate descent", 400, 300, 100, 400, false, Coder::Cd},
};

/// What learning three batches from `shape.k` atoms held at most, with a copy of the model at hand
/// as while a checkpoint is written, beside the formula.
template <class Scalar>
void expect_heap_within_formula(const Shape& shape, Precision precision) {
  SCOPED_TRACE(std::string(shape.name) + " " + std::string(name_of(precision)));
  Options options;
  options.atoms = shape.k - 10;
  options.batch_size = shape.n;
  options.coding.coder = shape.coder;
  options.coding.code_nonzeros = shape.code_nonzeros;
  options.update.atom_nonzeros = shape.atom_nonzeros;
  options.update.max_sweeps = 3;
  options.birth.births = Births::Always;
  options.birth.max_births = 10;
  options.birth.max_atoms = shape.k;
  apply_method(options, Method::NodlPlus);
  const Matrix<Scalar> X = test::gaussian(shape.m, 3 * shape.n, 11).template cast<Scalar>();
  const Matrix<Scalar> thinned = (X.array().abs() > 2.5).select(X, Scalar(0));
  const SparseMatrix<Scalar> sparse = test::to_sparse<Scalar>(thinned);
  const Batch<Scalar> all =
      shape.sparse_samples ? Batch<Scalar>::sparse(sparse) : Batch<Scalar>::dense(X);

  const std::size_t before = HeapMeter::now();
  Learner<Scalar> learner(shape.m, options);
  // The first batch has nothing but dense atoms, the last nothing but sparse ones, if atoms are to
  // be sparse at all.
  for (Index batch = 0; batch < 3; ++batch) {
    const Batch<Scalar> x = all.middle(batch * shape.n, shape.n);
    const Model<Scalar> snapshot = learner.model();
    const std::size_t at_rest = HeapMeter::now() - before;
    const HeapMeter heap;
    const Index sparse_atoms = learner.model().dictionary.sparse_size();
    learner.learn_batch(x);
    const auto held = static_cast<double>(at_rest + heap.peak());
    LearningSize size{shape.m, sparse_atoms, 0, shape.n, 0};
    size.dense_atoms = learner.model().dictionary.size() - sparse_atoms;
    size.batch_numbers = x.is_sparse() ? x.columns().nonzeros() : shape.m * shape.n;
    // The batch itself is not on the heap that is measured here.
    const double formula =
        static_cast<double>(learning_bytes(size, learner.model().options, precision)) -
        static_cast<double>(size.batch_numbers) * sizeof(Scalar);
    EXPECT_LE(held, formula);
    if (batch == 1) continue;
    EXPECT_GE(held, formula * (batch == 0 ? 0.25 : 0.33));
    std::cout << shape.name << ", " << name_of(precision) << ", batch " << batch + 1 << ": "
              << held / formula << "\n";
  }
}

TEST(Footprint, IsAnUpperBoundOfTheHeapAndNoWildOne) {
  if (!HeapMeter::works()) GTEST_SKIP() << "sanitizers have a malloc of their own";
  for (const Shape& shape : kShapes) {
    expect_heap_within_formula<double>(shape, Precision::Float64);
    expect_heap_within_formula<float>(shape, Precision::Float32);
  }
}

TEST(Encoding, HoldsNoSecondCopyOfFloat32Samples) {
  if (!HeapMeter::works()) GTEST_SKIP() << "sanitizers have a malloc of their own";
  const Matrix<float> X = test::gaussian(1000, 2000, 5).cast<float>();
  const Matrix<float> atoms = test::gaussian(1000, 20, 6).cast<float>();
  const auto dictionary = test::dictionary_of<float>(atoms);
  const CodingDictionary<float> D1(dictionary, AtomNorm::Raw);
  ThreadPool pool(1);
  for (const Coder coder : {Coder::Lars, Coder::Cd, Coder::Omp, Coder::Threshold}) {
    SCOPED_TRACE(name_of(coder));
    CodingOptions options;
    options.coder = coder;
    options.code_nonzeros = 5;
    for (const bool refit : {false, true}) {
      options.refit = refit;
      const HeapMeter heap;
      encode(D1, Batch<float>::dense(X), options, {}, pool);
      EXPECT_LT(heap.peak(), X.size() * sizeof(float) / 2);
    }
  }
}

}  // namespace
}  // namespace nodl
