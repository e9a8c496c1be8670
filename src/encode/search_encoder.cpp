#include "encode/search_encoder.h"

#include <memory>
#include <optional>
#include <type_traits>

#include "encode/certified_lasso.h"
#include "encode/code_gathering.h"

namespace nodl {
namespace {

// Samples whose correlations are held at a time; of these, one matrix product; of these, one piece
// of work for a search, small enough that threads end together. Whatever the number of threads.
constexpr Index kHeld = 512;
constexpr Index kProduct = 128;
constexpr Index kPiece = 2;
constexpr Index kUsualNonzeros = 16;  // guessed where lambda decides

Index pieces(Index samples, Index in_a_piece) { return (samples + in_a_piece - 1) / in_a_piece; }

/// What the search and the certificate need of a dictionary, once for all samples.
template <class Scalar>
class SearchedDictionary {
 public:
  SearchedDictionary(const CodingDictionary<Scalar>& dictionary,
                     const Batch<Scalar>& batch,
                     const CodeTarget& target,
                     const KnownProducts<Scalar>& known,
                     ThreadPool& pool)
      : dictionary_(dictionary) {
    const Index k = dictionary.size();
    const Index usual = std::min(target.nonzeros, target.lambda ? kUsualNonzeros : k);
    if constexpr (kIsFloat) {
      gram_ = dictionary.gram(pool, known.gram);
    } else {
      // Sparse samples are known by their correlations alone.
      certifies_by_gram_ = batch.is_sparse() ||
                           SupportGradient<Scalar>::wants_gram(dictionary, batch.samples(), usual);
      if (!batch.is_sparse()) {
        narrow_atoms_ = dictionary.dictionary().template cast<float>();
        narrow_.emplace(narrow_atoms_, dictionary.norm());
      }
      if (certifies_by_gram_) {
        exact_gram_ = dictionary.gram(pool, known.exact_gram);
        gram_ = exact_gram_.template cast<float>();
      } else {
        gram_ = narrow_->gram(pool, known.gram);
      }
    }
  }
  SearchedDictionary(const SearchedDictionary&) = delete;
  SearchedDictionary& operator=(const SearchedDictionary&) = delete;

  /// When it is needed no longer.
  void leave_to(KnownProducts<Scalar>& next) {
    if (certifies_by_gram_) {
      next.exact_gram = std::move(exact_gram_);
    } else {
      next.gram = std::move(gram_);
    }
  }

  const Matrix<float>& gram() const { return gram_; }
  /// All of a small one at once: parts that another thread made would come one by one.
  void bring_gram_nearer() const {
    constexpr Index kSmall = 1 << 17, kLine = 64 / sizeof(float);  // numbers
    if (gram_.size() > kSmall) return;
    for (Index i = 0; i < gram_.size(); i += kLine) __builtin_prefetch(gram_.data() + i, 0, 2);
  }
  /// Null where certificates are made from residuals.
  const Matrix<Scalar>* exact_gram() const { return certifies_by_gram_ ? &exact_gram_ : nullptr; }

  /// `known` are the correlations of the first atoms, or empty.
  void correlate(const Batch<Scalar>& samples,
                 const Correlated<Scalar>& known,
                 Correlated<Scalar>& out,
                 ThreadPool& pool) const {
    const Index n = samples.samples(), k_k = known.narrow.rows();
    out.narrow.resize(dictionary_.size(), n);
    out.norms.resize(n);
    if (samples.is_sparse()) out.exact.resize(dictionary_.size(), n);
    pool.run(pieces(n, kProduct), [&](Index piece, int) {
      const Index first = piece * kProduct, count = std::min(kProduct, n - first);
      const Batch<Scalar> some = samples.middle(first, count);
      if (samples.is_sparse()) {
        if (k_k > 0) {
          out.exact.block(0, first, k_k, count) = known.exact.middleCols(first, count);
        }
        dictionary_.correlate(some, out.exact.col(first).data(), k_k);
        out.narrow.middleCols(first, count) =
            out.exact.middleCols(first, count).template cast<float>();
        for (Index i = 0; i < count; ++i) out.norms[first + i] = rounded_norm(some.columns(), i);
        return;
      }
      if (k_k > 0) {
        out.narrow.block(0, first, k_k, count) = known.narrow.middleCols(first, count);
      }
      // Centred atoms do not see the mean, which may be large: out before it costs digits.
      const bool centred = dictionary_.norm() == AtomNorm::Centered;
      Matrix<float> narrow;
      if (centred) {
        const auto X = some.matrix();
        narrow = (X.rowwise() - X.colwise().mean()).template cast<float>();
      } else if (!kIsFloat) {
        narrow = some.matrix().template cast<float>();
      }
      if constexpr (kIsFloat) {
        const Batch<float> x = centred ? Batch<float>::dense(narrow) : some;
        dictionary_.correlate(x, out.narrow.col(first).data(), k_k);
        out.norms.segment(first, count) = x.matrix().colwise().norm();
      } else {
        narrow_->correlate(Batch<float>::dense(narrow), out.narrow.col(first).data(), k_k);
        out.norms.segment(first, count) = narrow.colwise().norm();
      }
    });
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Scalar, float>;

  /// That of a sparse sample: in double, rounding comes last and is relative to D^T x itself.
  static float rounded_norm(const SparseColumns<Scalar>& x, Index i) {
    if constexpr (kIsFloat) {
      return Eigen::Map<const Vector<float>>(x.values + x.starts[i], x.nonzeros(i)).norm();
    }
    return 0;
  }

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
                               std::vector<Index>& left,
                               KnownProducts<Scalar>* known) {
  const Index k = dictionary.size(), n = batch.samples();
  const CodeTarget target = target_of(options, k);
  KnownProducts<Scalar> before;
  if (known) std::swap(before, *known);
  const bool knows = !before.correlated.empty(), leaves = known && !knows;
  SearchedDictionary<Scalar> searched(dictionary, batch, target, before, pool);
  before.gram.resize(0, 0);  // memory is limited, and this is much
  before.exact_gram.resize(0, 0);
  struct Worker {
    CertifiedLasso<Scalar> lasso;
    SampleCode<Scalar> code;
    std::vector<Index> left;
  };
  std::vector<std::unique_ptr<Worker>> workers(pool.threads());
  CodeGathering<Scalar> found(n, k, pool);
  Correlated<Scalar> correlated;
  for (Index start = 0; start < n; start += kHeld) {
    const Batch<Scalar> held = batch.middle(start, std::min(kHeld, n - start));
    const Correlated<Scalar> none;
    searched.correlate(held, knows ? before.correlated[start / kHeld] : none, correlated, pool);
    pool.run(pieces(held.samples(), kPiece), [&](Index piece, int thread) {
      if (!workers[thread]) {
        workers[thread].reset(new Worker{
            CertifiedLasso<Scalar>(dictionary, searched.gram(), searched.exact_gram(), target),
            {},
            {}});
        if (pool.threads() > 1) searched.bring_gram_nearer();
      }
      Worker& worker = *workers[thread];
      const Index past = std::min((piece + 1) * kPiece, held.samples());
      for (Index i = piece * kPiece; i < past; ++i) {
        const Scalar* x = held.is_sparse() ? nullptr : held.sample(i);
        const Scalar* exact_q = held.is_sparse() ? correlated.exact.col(i).data() : nullptr;
        const float* q = correlated.narrow.col(i).data();
        if (!worker.lasso.solve(x, exact_q, q, correlated.norms[i], worker.code)) {
          worker.code.clear();
          worker.left.push_back(start + i);
        }
        found.put(start + i, thread, worker.code);
      }
    });
    if (leaves) known->correlated.push_back(std::move(correlated));
  }
  for (const std::unique_ptr<Worker>& worker : workers) {
    if (worker) left.insert(left.end(), worker->left.begin(), worker->left.end());
  }
  std::sort(left.begin(), left.end());
  if (leaves) searched.leave_to(*known);
  return found.codes(pool);
}

template bool searchable(const CodingDictionary<double>&, const CodingOptions&);
template Codes<double> encode_by_search(const CodingDictionary<double>&,
                                        const Batch<double>&,
                                        const CodingOptions&,
                                        ThreadPool&,
                                        std::vector<Index>&,
                                        KnownProducts<double>*);
template bool searchable(const CodingDictionary<float>&, const CodingOptions&);
template Codes<float> encode_by_search(const CodingDictionary<float>&,
                                       const Batch<float>&,
                                       const CodingOptions&,
                                       ThreadPool&,
                                       std::vector<Index>&,
                                       KnownProducts<float>*);

}  // namespace nodl
