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

/// D^T x of a few samples, in float32 and, where samples are sparse, in the data's precision too.
template <class Scalar>
struct Correlated {
  Matrix<float> narrow;
  Matrix<Scalar> exact;
  Matrix<float> samples;  // room
};

/// What the search and the certificate need of a dictionary, once for all samples.
template <class Scalar>
class SearchedDictionary {
 public:
  SearchedDictionary(const CodingDictionary<Scalar>& dictionary,
                     const Batch<Scalar>& batch,
                     const CodeTarget& target,
                     ThreadPool& pool)
      : dictionary_(dictionary) {
    const Index k = dictionary.size();
    const Index usual = std::min(target.nonzeros, target.lambda ? kUsualNonzeros : k);
    if constexpr (kIsFloat) {
      gram_ = dictionary.gram(pool);
    } else {
      // Sparse samples are known by their correlations alone.
      certifies_by_gram_ = batch.is_sparse() ||
                           SupportGradient<Scalar>::wants_gram(dictionary, batch.samples(), usual);
      if (!batch.is_sparse()) {
        narrow_atoms_ = dictionary.dictionary().template cast<float>();
        narrow_.emplace(narrow_atoms_, dictionary.norm());
      }
      if (certifies_by_gram_) {
        exact_gram_ = dictionary.gram(pool);
        gram_ = exact_gram_.template cast<float>();
      } else {
        gram_ = narrow_->gram(pool);
      }
    }
  }
  SearchedDictionary(const SearchedDictionary&) = delete;
  SearchedDictionary& operator=(const SearchedDictionary&) = delete;

  const Matrix<float>& gram() const { return gram_; }
  /// Null where certificates are made from residuals.
  const Matrix<Scalar>* exact_gram() const { return certifies_by_gram_ ? &exact_gram_ : nullptr; }

  void correlate(const Batch<Scalar>& samples, Correlated<Scalar>& out) const {
    out.narrow.resize(dictionary_.size(), samples.samples());
    if (samples.is_sparse()) {
      out.exact.resize(dictionary_.size(), samples.samples());
      dictionary_.correlate(samples, out.exact.data());
      out.narrow = out.exact.template cast<float>();
    } else if constexpr (kIsFloat) {
      dictionary_.correlate(samples, out.narrow.data());
    } else {
      out.samples = samples.matrix().template cast<float>();
      narrow_->correlate(Batch<float>::dense(out.samples), out.narrow.data());
    }
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Scalar, float>;

  const CodingDictionary<Scalar>& dictionary_;
  Dictionary<float> narrow_atoms_;
  std::optional<CodingDictionary<float>> narrow_;
  Matrix<float> gram_;
  Matrix<Scalar> exact_gram_;
  bool certifies_by_gram_ = false;
};

}  // namespace

template <class Scalar>
bool searchable(const CodingDictionary<Scalar>& dictionary, const CodingOptions& options) {
  const CodeTarget target = target_of(options, dictionary.size());
  const bool by_path = target.nonzeros < dictionary.size();
  return (options.coder == Coder::Lars || (options.coder == Coder::Cd && !by_path)) &&
         !options.positive_code && target.nonzeros > 0 &&
         !(target.lambda && !(*target.lambda > 0)) &&
         !CertifiedLasso<Scalar>::too_deep(target, dictionary.size());
}

template <class Scalar>
Codes<Scalar> encode_by_search(const CodingDictionary<Scalar>& dictionary,
                               const Batch<Scalar>& batch,
                               const CodingOptions& options,
                               ThreadPool& pool,
                               std::vector<Index>& left) {
  const Index k = dictionary.size(), n = batch.samples();
  const CodeTarget target = target_of(options, k);
  const SearchedDictionary<Scalar> searched(dictionary, batch, target, pool);
  struct Worker {
    CertifiedLasso<Scalar> lasso;
    Correlated<Scalar> correlated;
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
      workers[number].reset(new Worker{
          CertifiedLasso<Scalar>(dictionary, searched.gram(), searched.exact_gram(), target),
          {},
          {},
          {}});
    }
    Worker& worker = *workers[number];
    const Index first = b * kBlock, count = std::min(kBlock, n - first);
    searched.correlate(batch.middle(first, count), worker.correlated);
    for (Index i = 0; i < count; ++i) {
      const Scalar* x = batch.is_sparse() ? nullptr : batch.sample(first + i);
      const Scalar* exact_q = batch.is_sparse() ? worker.correlated.exact.col(i).data() : nullptr;
      const float* q = worker.correlated.narrow.col(i).data();
      if (!worker.lasso.solve(x, exact_q, q, worker.code)) {
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

template bool searchable(const CodingDictionary<double>&, const CodingOptions&);
template Codes<double> encode_by_search(const CodingDictionary<double>&,
                                        const Batch<double>&,
                                        const CodingOptions&,
                                        ThreadPool&,
                                        std::vector<Index>&);
template bool searchable(const CodingDictionary<float>&, const CodingOptions&);
template Codes<float> encode_by_search(const CodingDictionary<float>&,
                                       const Batch<float>&,
                                       const CodingOptions&,
                                       ThreadPool&,
                                       std::vector<Index>&);

}  // namespace nodl
