#include "encode/support_gradient.h"

#include <array>

#include "simd/kernels.h"

namespace nodl {
namespace {

// Two evaluations more than the first, at a quarter of GEMM's rate or less, against m k^2 flops for
// all samples at GEMM's.
constexpr Index kGramPays = 32;
// Below, a few atoms and the residual stay in the first-level cache, and to pick G_AA out of a
// large matrix costs as much.
constexpr Index kLongAtom = 512;

}  // namespace

template <class Scalar>
SupportGradient<Scalar>::SupportGradient(const CodingDictionary<Scalar>& dictionary,
                                         const Matrix<Scalar>* gram)
    : dictionary_(dictionary), gram_(gram) {
  if (!gram_) residual_.resize(dictionary.dimension());
}

template <class Scalar>
bool SupportGradient<Scalar>::wants_gram(const CodingDictionary<Scalar>& dictionary,
                                         Index samples,
                                         Index nonzeros_of_a_code) {
  const Index k = dictionary.size();
  // Sparse atoms leave little to do for a residual.
  const bool dense = 2 * dictionary.dictionary().sparse_size() < k;
  return dense && dictionary.dimension() >= kLongAtom &&
         k * k < kGramPays * nonzeros_of_a_code * samples;
}

template <class Scalar>
void SupportGradient<Scalar>::start(const Scalar* x,
                                    const Scalar* q,
                                    const std::vector<RowIndex>& atoms) {
  x_ = x;
  all_q_ = q;
  atoms_ = &atoms;
  if (!gram_) return;
  const auto& simd = simd::kernels<Scalar>();
  const Index p = static_cast<Index>(atoms.size());
  q_.resize(p);
  if (q) {
    simd.gather(q, atoms.data(), p, q_.data());
  } else {
    dictionary_.correlate(p, atoms.data(), x, q_.data());
  }
  block_.resize(p * p);
  for (Index i = 0; i < p; ++i) {
    simd.gather(gram_->col(atoms[i]).data(), atoms.data(), p, &block_[i * p]);
  }
}

template <class Scalar>
void SupportGradient<Scalar>::evaluate(const Scalar* values, Scalar* out) {
  const Index p = static_cast<Index>(atoms_->size());
  if (gram_) {
    values_.assign(values, values + p);
    std::copy(q_.begin(), q_.end(), out);
    subtract_products(values, out);
  } else {
    dictionary_.residual(p, atoms_->data(), values, x_, residual_.data());
    dictionary_.correlate(p, atoms_->data(), residual_.data(), out);
  }
}

template <class Scalar>
void SupportGradient<Scalar>::subtract_products(const Scalar* values, Scalar* out) const {
  const auto& simd = simd::kernels<Scalar>();
  constexpr Index kAtOnce = 8;
  std::array<const Scalar*, kAtOnce> columns{};
  const Index p = static_cast<Index>(q_.size());
  for (Index first = 0; first < p; first += kAtOnce) {
    const Index count = std::min(kAtOnce, p - first);
    for (Index i = 0; i < count; ++i) columns[i] = &block_[(first + i) * p];
    simd.residual(p, count, columns.data(), values + first, out, out);
  }
}

template <class Scalar>
Scalar SupportGradient<Scalar>::correlation_of_sample(RowIndex atom) const {
  if (all_q_) return all_q_[atom];
  Scalar c = 0;
  dictionary_.correlate(1, &atom, x_, &c);
  return c;
}

template <class Scalar>
Scalar SupportGradient<Scalar>::correlation(RowIndex atom) {
  if (!gram_) {
    Scalar c = 0;
    dictionary_.correlate(1, &atom, residual_.data(), &c);
    return c;
  }
  const auto& simd = simd::kernels<Scalar>();
  const Index p = static_cast<Index>(q_.size());
  row_.resize(p);
  simd.gather(gram_->col(atom).data(), atoms_->data(), p, row_.data());
  return correlation_of_sample(atom) - simd.dot(row_.data(), values_.data(), p);
}

template class SupportGradient<double>;
template class SupportGradient<float>;

}  // namespace nodl
