#include <memory>

#include "blas.h"
#include "encode/lasso_cd.h"
#include "encode/lasso_lars.h"
#include "encode/lsqr.h"
#include "encode/omp.h"
#include "nodl/encoder.h"
#include "nodl/error.h"
#include "nodl/prox.h"

namespace nodl {
namespace {

constexpr Index kBlock = 32;  // samples that are one piece of work, whatever the number of threads

template <class Scalar>
struct CodeBlock {
  SparseMatrix<Scalar> columns;
  std::vector<Scalar> lambda;
};

/// Appends a code with its atoms in rising order and without zeros.
template <class Scalar>
void append_sorted(const SampleCode<Scalar>& code,
                   std::vector<std::pair<Index, Scalar>>& sorted,
                   CodeBlock<Scalar>& block) {
  sorted.clear();
  for (std::size_t t = 0; t < code.atoms.size(); ++t) {
    if (code.values[t] != 0) sorted.emplace_back(code.atoms[t], code.values[t]);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [atom, value] : sorted) block.columns.push(atom, value);
  block.columns.end_column();
  block.lambda.push_back(code.lambda);
}

/// |x|^2, of the sample minus its mean where atoms are centred (then only that part can be coded).
template <class Scalar>
Scalar codable_square(const Batch<Scalar>& batch, Index i, bool centred) {
  const Index m = batch.dimension();
  double sum = 0, square = 0;
  const auto add = [&](Scalar value) {
    sum += value;
    square += static_cast<double>(value) * value;
  };
  if (batch.is_sparse()) {
    const SparseColumns<Scalar>& x = batch.columns();
    for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) add(x.values[p]);
  } else {
    std::for_each(batch.sample(i), batch.sample(i) + m, add);
  }
  return static_cast<Scalar>(centred ? square - sum * sum / static_cast<double>(m) : square);
}

/// The solvers of one thread, made when first needed and used for all its samples.
template <class Scalar>
class Worker {
 public:
  Worker(const CodingDictionary<Scalar>& dictionary,
         const Matrix<Scalar>& gram,
         const CodingOptions& options,
         const BisectionOptions& bisection)
      : dictionary_(dictionary),
        gram_(gram),
        options_(options),
        bisection_(bisection),
        lars_(gram),
        cd_(gram),
        omp_(gram),
        fit_(gram) {
    const Index k = dictionary.size();
    target_.lambda = options.lambda.value_or(0.0);
    target_.nonzeros = std::min(k, options.code_nonzeros.value_or(k));
  }

  void encode(const Batch<Scalar>& batch, CodeBlock<Scalar>& out) {
    const Index k = dictionary_.size();
    const bool least_squares = !options_.lambda && target_.nonzeros >= k;
    const bool by_lsqr = least_squares || options_.coder == Coder::Threshold;
    const bool refit = options_.refit && !least_squares;
    if (!by_lsqr || refit) {
      Q_.resize(k, batch.samples());
      dictionary_.correlate(batch, Q_.data());
    }
    if (by_lsqr) X_ = lsqr(dictionary_, batch, options_.lsqr_iterations);
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
      if (refit) refit_support(Q_.col(i).data());
      append_sorted(code_, sorted_, out);
    }
  }

 private:
  // What the authors ran: one soft threshold of the least-squares code, its height by Alg. 2.
  void threshold(Eigen::Ref<Vector<Scalar>> x, bool keep_all) {
    const std::span<Scalar> values(x.data(), x.size());
    code_.clear();
    if (options_.lambda) code_.lambda = static_cast<Scalar>(*options_.lambda);
    if (!keep_all && target_.nonzeros < x.size()) {
      const Scalar by_count = threshold_by_bisection<Scalar>(values, target_.nonzeros, bisection_);
      if (options_.code_nonzeros) code_.lambda = std::max(code_.lambda, by_count);
    }
    if (code_.lambda > 0) soft_threshold<Scalar>(values, code_.lambda);
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] == 0) continue;
      code_.atoms.push_back(j);
      code_.values.push_back(x[j]);
    }
  }

  // Least squares on the support; atoms that depend on the others get nothing.
  void refit_support(const Scalar* q) {
    fit_.clear();
    for (const Index j : code_.atoms) fit_.add(j);
    code_.atoms = fit_.support();
    code_.values.clear();
    for (const Index j : code_.atoms) code_.values.push_back(q[j]);
    fit_.solve(code_.values.data());
  }

  const CodingDictionary<Scalar>& dictionary_;
  const Matrix<Scalar>& gram_;
  const CodingOptions& options_;
  const BisectionOptions& bisection_;
  CodeTarget target_;
  LarsSolver<Scalar> lars_;
  CdSolver<Scalar> cd_;
  OmpSolver<Scalar> omp_;
  SupportFactor<Scalar> fit_;
  Matrix<Scalar> Q_, X_;
  SampleCode<Scalar> code_;
  std::vector<std::pair<Index, Scalar>> sorted_;
};

}  // namespace

template <class Scalar>
Codes<Scalar> encode(const CodingDictionary<Scalar>& dictionary,
                     const Batch<Scalar>& batch,
                     const CodingOptions& options,
                     const BisectionOptions& bisection,
                     ThreadPool& pool) {
  if (batch.dimension() != dictionary.dimension()) {
    throw ShapeMismatch("samples have " + std::to_string(batch.dimension()) +
                        " values, the dictionary's atoms " +
                        std::to_string(dictionary.dimension()));
  }
  const blas::SerialSection serial;
  const Index k = dictionary.size(), n = batch.samples();
  const bool least_squares = !options.lambda && options.code_nonzeros.value_or(k) >= k;
  const bool needs_gram = !least_squares && (options.coder != Coder::Threshold || options.refit);
  const Matrix<Scalar> gram = needs_gram ? dictionary.gram(pool) : Matrix<Scalar>();
  std::vector<std::unique_ptr<Worker<Scalar>>> workers(pool.threads());
  std::vector<CodeBlock<Scalar>> blocks((n + kBlock - 1) / kBlock);
  pool.run(static_cast<Index>(blocks.size()), [&](Index b, int worker) {
    if (!workers[worker]) {
      workers[worker] = std::make_unique<Worker<Scalar>>(dictionary, gram, options, bisection);
    }
    const Index first = b * kBlock;
    workers[worker]->encode(batch.middle(first, std::min(kBlock, n - first)), blocks[b]);
  });
  Codes<Scalar> codes;
  codes.columns.rows = k;
  for (const CodeBlock<Scalar>& block : blocks) {
    const Index before = codes.columns.nonzeros();
    auto& c = codes.columns;
    c.indices.insert(c.indices.end(), block.columns.indices.begin(), block.columns.indices.end());
    c.values.insert(c.values.end(), block.columns.values.begin(), block.columns.values.end());
    for (std::size_t i = 1; i < block.columns.starts.size(); ++i) {
      c.starts.push_back(before + block.columns.starts[i]);
    }
    codes.lambda.insert(codes.lambda.end(), block.lambda.begin(), block.lambda.end());
  }
  return codes;
}

template Codes<double> encode(const CodingDictionary<double>&,
                              const Batch<double>&,
                              const CodingOptions&,
                              const BisectionOptions&,
                              ThreadPool&);
template Codes<float> encode(const CodingDictionary<float>&,
                             const Batch<float>&,
                             const CodingOptions&,
                             const BisectionOptions&,
                             ThreadPool&);

}  // namespace nodl
