#include "encode/search_encoder.h"

#include <memory>
#include <optional>
#include <type_traits>

#include "blas.h"
#include "encode/certified_lasso.h"
#include "encode/code_block.h"

namespace nodl {
namespace {

constexpr Index kBlock = 64;  // samples that are one piece of work, whatever the number of threads
constexpr Index kUsualNonzeros = 16;  // guessed where lambda decides

}  // namespace

template <class Scalar>
bool searchable(const CodingDictionary<Scalar>& dictionary,
                const Batch<Scalar>& batch,
                const CodingOptions& options) {
  const CodeTarget target = target_of(options, dictionary.size());
  const bool by_path = target.nonzeros < dictionary.size();
  return (options.coder == Coder::Lars || (options.coder == Coder::Cd && !by_path)) &&
         !options.positive_code && target.nonzeros > 0 &&
         !(target.lambda && !(*target.lambda > 0)) && !batch.is_sparse() &&
         !CertifiedLasso<Scalar>::too_deep(target, dictionary.size());
}

template <class Scalar>
Codes<Scalar> encode_by_search(const CodingDictionary<Scalar>& dictionary,
                               const Batch<Scalar>& batch,
                               const CodingOptions& options,
                               ThreadPool& pool,
                               std::vector<Index>& left) {
  const Index k = dictionary.size(), n = batch.samples();
  Dictionary<float> narrow_atoms;
  std::optional<CodingDictionary<float>> narrowed;
  if constexpr (!std::is_same_v<Scalar, float>) {
    narrow_atoms = dictionary.dictionary().template cast<float>();
    narrowed.emplace(narrow_atoms, dictionary.norm());
  }
  const CodingDictionary<float>& narrow = [&]() -> const CodingDictionary<float>& {
    if constexpr (std::is_same_v<Scalar, float>) {
      return dictionary;
    } else {
      return *narrowed;
    }
  }();
  const CodeTarget target = target_of(options, k);
  Matrix<Scalar> exact_gram;
  bool certifies_by_gram = false;
  if constexpr (!std::is_same_v<Scalar, float>) {
    certifies_by_gram = SupportGradient<Scalar>::wants_gram(
        dictionary, n, std::min(target.nonzeros, target.lambda ? kUsualNonzeros : k));
    if (certifies_by_gram) exact_gram = dictionary.gram(pool);
  }
  const Matrix<float> gram =
      certifies_by_gram ? Matrix<float>(exact_gram.template cast<float>()) : narrow.gram(pool);
  struct Worker {
    CertifiedLasso<Scalar> lasso;
    Matrix<float> X, Q;
    SampleCode<Scalar> code;
    std::vector<std::pair<Index, Scalar>> sorted;
  };
  struct Block {
    CodeBlock<Scalar> codes;
    std::vector<Index> left;
  };
  std::vector<std::unique_ptr<Worker>> workers(pool.threads());
  std::vector<Block> blocks((n + kBlock - 1) / kBlock);
  pool.run(static_cast<Index>(blocks.size()), [&](Index b, int number) {
    if (!workers[number]) {
      workers[number].reset(
          new Worker{CertifiedLasso<Scalar>(
                         dictionary, gram, certifies_by_gram ? &exact_gram : nullptr, target),
                     {},
                     {},
                     {},
                     {}});
    }
    Worker& worker = *workers[number];
    const Index first = b * kBlock, count = std::min(kBlock, n - first);
    worker.X = batch.middle(first, count).matrix().template cast<float>();
    worker.Q.resize(k, count);
    narrow.correlate(Batch<float>::dense(worker.X), worker.Q.data());
    for (Index i = 0; i < count; ++i) {
      if (!worker.lasso.solve(batch.sample(first + i), worker.Q.col(i).data(), worker.code)) {
        worker.code.clear();
        blocks[b].left.push_back(first + i);
      }
      append_sorted(worker.code, worker.sorted, blocks[b].codes);
    }
  });
  std::vector<CodeBlock<Scalar>> codes;
  for (Block& block : blocks) {
    codes.push_back(std::move(block.codes));
    left.insert(left.end(), block.left.begin(), block.left.end());
  }
  return joined(codes, k);
}

template bool searchable(const CodingDictionary<double>&,
                         const Batch<double>&,
                         const CodingOptions&);
template Codes<double> encode_by_search(const CodingDictionary<double>&,
                                        const Batch<double>&,
                                        const CodingOptions&,
                                        ThreadPool&,
                                        std::vector<Index>&);
template bool searchable(const CodingDictionary<float>&, const Batch<float>&, const CodingOptions&);
template Codes<float> encode_by_search(const CodingDictionary<float>&,
                                       const Batch<float>&,
                                       const CodingOptions&,
                                       ThreadPool&,
                                       std::vector<Index>&);

}  // namespace nodl
