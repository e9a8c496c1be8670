#include "encode/exact_encoder.h"

#include <memory>

#include "encode/code_gathering.h"
#include "encode/lasso_cd.h"
#include "encode/lasso_lars.h"
#include "encode/lsqr.h"
#include "encode/omp.h"
#include "encode/wide_batch.h"
#include "nodl/prox.h"

namespace nodl {
namespace {

constexpr Index kBlock = 32;  // samples that are one piece of work, whatever the number of threads

/// |x|^2, of the sample minus its mean where atoms are centred (then only that part can be coded).
double codable_square(const Batch<double>& batch, Index i, bool centred) {
  const Index m = batch.dimension();
  const double* x = batch.sample(i);
  Index stored = m;
  if (batch.is_sparse()) {
    x = batch.columns().values + batch.columns().starts[i];
    stored = batch.columns().nonzeros(i);
  }
  const Eigen::Map<const Vector<double>> numbers(x, stored);
  const double mean = centred ? numbers.sum() / static_cast<double>(m) : 0;
  return (numbers.array() - mean).square().sum() + static_cast<double>(m - stored) * mean * mean;
}

/// The solvers of one thread, made when first needed and used for all its samples.
class Worker {
 public:
  Worker(const CodingDictionary<double>& dictionary,
         const Matrix<double>& gram,
         const LsqrDictionary* lsqr,
         const CodingOptions& options,
         const BisectionOptions& bisection,
         double resolution)
      : dictionary_(dictionary),
        lsqr_(lsqr),
        options_(options),
        bisection_(bisection),
        target_(target_of(options, dictionary.size())),
        lars_(gram, resolution, code_sign(options)),
        cd_(gram, resolution, code_sign(options)),
        omp_(gram, resolution) {}

  /// Codes of the samples of `part`, the first of which is number `first`.
  template <class Scalar>
  void encode(const Batch<Scalar>& part, Index first, int thread, CodeGathering<Scalar>& found) {
    const Batch<double> batch = wide_.of(part);
    const Index k = dictionary_.size();
    const bool least_squares = is_least_squares(options_, k);
    const bool by_lsqr = least_squares || options_.coder == Coder::Threshold;
    if (!by_lsqr) {
      Q_.resize(k, batch.samples());
      dictionary_.correlate(batch, Q_.data());
    }
    if (by_lsqr) lsqr_->solve(batch, options_.lsqr_iterations, X_);
    for (Index i = 0; i < batch.samples(); ++i) {
      if (by_lsqr) {
        threshold(X_.col(i), least_squares);
      } else if (options_.coder == Coder::Lars) {
        lars_.solve(Q_.col(i).data(), target_, code_);
      } else if (options_.coder == Coder::Cd) {
        const bool centred = dictionary_.norm() == AtomNorm::Centered;
        cd_.solve(Q_.col(i).data(), codable_square(batch, i, centred), target_, code_);
      } else {
        omp_.solve(Q_.col(i).data(), target_.nonzeros, code_);
      }
      found.put(first + i, thread, code_);
    }
  }

 private:
  // What the authors ran: one soft threshold of the least-squares code, its height by Alg. 2.
  void threshold(Eigen::Ref<Vector<double>> x, bool keep_all) {
    const std::span<double> values(x.data(), x.size());
    code_.clear();
    if (options_.lambda) code_.lambda = *options_.lambda;
    if (!keep_all && target_.nonzeros < x.size()) {
      const double by_count = threshold_by_bisection<double>(values, target_.nonzeros, bisection_);
      code_.lambda = std::max(code_.lambda, by_count);
    }
    if (code_.lambda > 0) soft_threshold<double>(values, code_.lambda);
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] == 0) continue;
      code_.atoms.push_back(j);
      code_.values.push_back(x[j]);
    }
  }

  const CodingDictionary<double>& dictionary_;
  const LsqrDictionary* lsqr_;
  const CodingOptions& options_;
  const BisectionOptions& bisection_;
  CodeTarget target_;
  LarsSolver<double> lars_;
  CdSolver<double> cd_;
  OmpSolver<double> omp_;
  WideBatch wide_;
  Matrix<double> Q_, X_;
  SampleCode<double> code_;
};

template <class Scalar>
Codes<Scalar> encode_in_double(const CodingDictionary<double>& dictionary,
                               const Batch<Scalar>& batch,
                               const CodingOptions& options,
                               const BisectionOptions& bisection,
                               ThreadPool& pool) {
  // The precision in which samples and atoms are known.
  constexpr double resolution = std::numeric_limits<Scalar>::epsilon();
  const Index k = dictionary.size(), n = batch.samples();
  const bool needs_gram = !is_least_squares(options, k) && options.coder != Coder::Threshold;
  const Matrix<double> gram = needs_gram ? dictionary.gram(pool) : Matrix<double>();
  const std::unique_ptr<LsqrDictionary> lsqr =
      needs_gram ? nullptr : std::make_unique<LsqrDictionary>(dictionary, n, pool);
  std::vector<std::unique_ptr<Worker>> workers(pool.threads());
  CodeGathering<Scalar> found(n, k, pool);
  pool.run((n + kBlock - 1) / kBlock, [&](Index b, int thread) {
    if (!workers[thread]) {
      workers[thread] =
          std::make_unique<Worker>(dictionary, gram, lsqr.get(), options, bisection, resolution);
    }
    const Index first = b * kBlock;
    workers[thread]->encode(batch.middle(first, std::min(kBlock, n - first)), first, thread, found);
  });
  return found.codes(pool);
}

}  // namespace

Codes<double> encode_exactly(const CodingDictionary<double>& dictionary,
                             const Batch<double>& batch,
                             const CodingOptions& options,
                             const BisectionOptions& bisection,
                             ThreadPool& pool) {
  return encode_in_double(dictionary, batch, options, bisection, pool);
}

Codes<float> encode_exactly(const CodingDictionary<float>& dictionary,
                            const Batch<float>& batch,
                            const CodingOptions& options,
                            const BisectionOptions& bisection,
                            ThreadPool& pool) {
  const Dictionary<double> atoms = dictionary.dictionary().cast<double>();
  const CodingDictionary<double> wide(atoms, dictionary.norm());
  return encode_in_double(wide, batch, options, bisection, pool);
}

}  // namespace nodl
