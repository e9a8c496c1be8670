#include "nodl/coding_dictionary.h"

#include <array>
#include <cmath>
#include <limits>

#include "huge_pages.h"
#include "mirror.h"
#include "simd/kernels.h"
#include "transposed.h"

namespace nodl {
namespace {

// Columns, and rows, of the Gram matrix that are one piece of work: of sparse and of dense atoms.
constexpr Index kGramPanel = 64;
constexpr Index kGramStrip = 48;

struct MeanAndNorm {
  double mean = 0;
  double norm = 0;  // of the atom minus its mean; 0 where only rounding is left
};

/// Of an atom with `stored` values and m - stored zeros.
template <class Scalar>
MeanAndNorm mean_and_norm(const Scalar* values, Index stored, Index m, bool centred) {
  double sum = 0, square = 0;
  for (Index p = 0; p < stored; ++p) sum += values[p];
  const double mean = centred ? sum / static_cast<double>(m) : 0;
  double raw_square = 0;
  for (Index p = 0; p < stored; ++p) {
    square += (values[p] - mean) * (values[p] - mean);
    raw_square += static_cast<double>(values[p]) * values[p];
  }
  square += static_cast<double>(m - stored) * mean * mean;
  // A constant atom is nothing but its mean: what remains of it is rounding.
  const double rounding = 8 * std::numeric_limits<Scalar>::epsilon();
  if (centred && square <= rounding * rounding * raw_square) return {mean, 0};
  return {mean, std::sqrt(square)};
}

template <class Scalar>
Scalar mean_of(const Scalar* x, Index m) {
  return Eigen::Map<const Vector<Scalar>>(x, m).mean();
}

}  // namespace

template <class Scalar>
CodingDictionary<Scalar>::CodingDictionary(const Dictionary<Scalar>& dictionary, AtomNorm norm)
    : dictionary_(&dictionary),
      norm_(norm),
      scale_(Vector<Scalar>::Ones(dictionary.size())),
      offset_(Vector<Scalar>::Zero(dictionary.size())),
      by_row_(transposed(dictionary.sparse_block())) {
  if (norm == AtomNorm::Raw) return;
  const bool centred = norm == AtomNorm::Centered;
  const Index m = dictionary.dimension();
  const SparseColumns<Scalar> sparse = dictionary.sparse_block();
  for (Index j = 0; j < sparse.cols; ++j) {
    const auto [mean, length] =
        mean_and_norm(sparse.values + sparse.starts[j], sparse.nonzeros(j), m, centred);
    scale_[j] = length > 0 ? static_cast<Scalar>(1 / length) : Scalar(0);
    offset_[j] = length > 0 ? static_cast<Scalar>(mean / length) : Scalar(0);
  }
  const Matrix<Scalar>& raw = dictionary.dense_block();
  normalised_.resize(m, raw.cols());
  for (Index j = 0; j < raw.cols(); ++j) {
    const auto [mean, length] = mean_and_norm(raw.col(j).data(), m, m, centred);
    const double scale = length > 0 ? 1 / length : 0;
    normalised_.col(j) =
        ((raw.col(j).template cast<double>().array() - mean) * scale).template cast<Scalar>();
  }
}

template <class Scalar>
const Matrix<Scalar>& CodingDictionary<Scalar>::dense() const {
  return norm_ == AtomNorm::Raw ? dictionary_->dense_block() : normalised_;
}

template <class Scalar>
Matrix<Scalar> CodingDictionary<Scalar>::gram(ThreadPool& pool, const Matrix<Scalar>& known) const {
  const Index m = dimension(), k = size(), k_s = dictionary_->sparse_size(), k_d = k - k_s;
  const bool is_known = known.rows() > 0;
  const Index d_k = is_known ? known.rows() - k_s : 0;  // dense atoms that are known
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  const Matrix<Scalar>& D = dense();
  Matrix<Scalar> G(k, k);
  use_huge_pages(G);
  pool.run((k_s + kGramPanel - 1) / kGramPanel, [&](Index panel, int) {
    for (Index j = panel * kGramPanel; j < std::min(k_s, (panel + 1) * kGramPanel); ++j) {
      Scalar* g = G.col(j).data();
      std::fill_n(g, k, Scalar(0));
      for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
        const Index row = sparse.indices[p];
        const Scalar value = sparse.values[p];
        for (Index q = by_row_.starts[row]; !is_known && q < by_row_.starts[row + 1]; ++q) {
          g[by_row_.indices[q]] += value * by_row_.values[q];
        }
        for (Index l = d_k; l < k_d; ++l) g[k_s + l] += value * D(row, l);
      }
      for (Index i = 0; i < k_s; ++i) {  // the means: (d_i - mean_i)'(d_j - mean_j) / norms
        g[i] = g[i] * scale_[i] * scale_[j] - static_cast<Scalar>(m) * offset_[i] * offset_[j];
      }
      for (Index l = d_k; l < k_d; ++l) g[k_s + l] *= scale_[j];  // dense atoms are centred already
      if (is_known) std::copy_n(known.col(j).data(), k_s + d_k, g);
    }
    const Index first = panel * kGramPanel;
    mirror_panel(G, first, std::min(kGramPanel, k_s - first), k_s);
  });
  // A strip of rows up to the diagonal, which are columns as well: made where they lie side by
  // side, because those of a large matrix lie pages apart. The longest come first.
  const auto& simd = simd::kernels<Scalar>();
  std::vector<Matrix<Scalar>> strips(pool.threads());
  const Index pieces = (k_d - d_k + kGramStrip - 1) / kGramStrip;
  pool.run_dealt(pieces, [&](Index piece, int thread) {
    const Index first = d_k + (pieces - 1 - piece) * kGramStrip,
                count = std::min(kGramStrip, k_d - first);
    Matrix<Scalar>& strip = strips[thread];
    if (strip.size() == 0) strip.resize(kGramStrip, k_d);
    Scalar* S = strip.data();
    simd::multiply<Scalar>(simd::Product::Set,
                           count,
                           first + count,
                           m,
                           {D.col(first).data(), m, true},
                           {D.data(), m},
                           S,
                           kGramStrip);
    for (Index j = 0; j < first + count; ++j) {
      std::copy_n(S + j * kGramStrip, count, &G(k_s + first, k_s + j));
    }
    simd.transpose(count, first, S, kGramStrip, &G(k_s, k_s + first), k);
    for (Index j = first; j < first + count; ++j) {
      for (Index i = first; i < j; ++i) G(k_s + i, k_s + j) = G(k_s + j, k_s + i);
    }
  });
  if (d_k > 0) G.block(k_s, k_s, d_k, d_k) = known.bottomRightCorner(d_k, d_k);
  return G;
}

template <class Scalar>
void CodingDictionary<Scalar>::correlate(const Batch<Scalar>& batch,
                                         Scalar* out,
                                         Index known) const {
  if (known == 0) correlate_sparse_atoms(batch, out);
  correlate_dense_atoms(batch, std::max<Index>(0, known - dictionary_->sparse_size()), out);
}

template <class Scalar>
void CodingDictionary<Scalar>::correlate_sparse_atoms(const Batch<Scalar>& batch,
                                                      Scalar* out) const {
  const Index m = dimension(), k = size(), k_s = dictionary_->sparse_size();
  if (k_s == 0) return;
  const SparseColumns<Scalar> atoms = dictionary_->sparse_block();
  for (Index i = 0; i < batch.samples(); ++i) {
    Scalar* q = out + i * k;
    if (batch.is_sparse()) {
      const SparseColumns<Scalar>& x = batch.columns();
      std::fill_n(q, k_s, Scalar(0));
      Scalar sum = 0;
      for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
        const Index row = x.indices[p];
        sum += x.values[p];
        for (Index t = by_row_.starts[row]; t < by_row_.starts[row + 1]; ++t) {
          q[by_row_.indices[t]] += x.values[p] * by_row_.values[t];
        }
      }
      for (Index j = 0; j < k_s; ++j) q[j] = q[j] * scale_[j] - offset_[j] * sum;
    } else {
      // (d - mean 1)'x = d'(x - mean(x) 1): taking the mean out of x first loses fewer digits.
      const Scalar* x = batch.sample(i);
      const Scalar mean = norm_ == AtomNorm::Centered ? mean_of(x, m) : Scalar(0);
      for (Index j = 0; j < k_s; ++j) {
        Scalar dot = 0;
        for (Index p = atoms.starts[j]; p < atoms.starts[j + 1]; ++p) {
          dot += atoms.values[p] * (x[atoms.indices[p]] - mean);
        }
        q[j] = dot * scale_[j];
      }
    }
  }
}

template <class Scalar>
void CodingDictionary<Scalar>::correlate_dense_atoms(const Batch<Scalar>& batch,
                                                     Index first,
                                                     Scalar* out) const {
  const Index m = dimension(), k = size(), before = dictionary_->sparse_size() + first;
  const Index k_d = k - before;
  if (k_d == 0 || batch.samples() == 0) return;
  const auto D = dense().middleCols(first, k_d);
  if (batch.is_sparse()) {
    const SparseColumns<Scalar>& x = batch.columns();
    for (Index i = 0; i < batch.samples(); ++i) {
      for (Index l = 0; l < k_d; ++l) {
        const Scalar* atom = D.col(l).data();
        Scalar dot = 0;
        for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) {
          dot += x.values[p] * atom[x.indices[p]];
        }
        out[i * k + before + l] = dot;
      }
    }
    return;
  }
  if (norm_ == AtomNorm::Centered) {
    Matrix<Scalar> X = batch.matrix();
    X.rowwise() -= X.colwise().mean().eval();
    return simd::multiply<Scalar>(
        simd::Product::Set, k_d, X.cols(), m, {D.data(), m, true}, {X.data(), m}, out + before, k);
  }
  simd::multiply<Scalar>(simd::Product::Set,
                         k_d,
                         batch.samples(),
                         m,
                         {D.data(), m, true},
                         {batch.sample(0), batch.stride()},
                         out + before,
                         k);
}

template <class Scalar>
void CodingDictionary<Scalar>::correlate(Index count,
                                         const RowIndex* atoms,
                                         const Scalar* x,
                                         Scalar* out) const {
  const auto& simd = simd::kernels<Scalar>();
  const Index m = dimension(), k_s = dictionary_->sparse_size();
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  const bool centred = norm_ == AtomNorm::Centered && k_s > 0;
  const Scalar mean = centred ? mean_of(x, m) : Scalar(0);
  for (Index t = 0; t < count; ++t) {
    const Index j = atoms[t];
    if (j >= k_s) {
      out[t] = simd.dot(dense().col(j - k_s).data(), x, m);
      continue;
    }
    Scalar dot = 0;
    for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
      dot += sparse.values[p] * (x[sparse.indices[p]] - mean);
    }
    out[t] = dot * scale_[j];
  }
}

template <class Scalar>
void CodingDictionary<Scalar>::residual(
    Index count, const RowIndex* atoms, const Scalar* code, const Scalar* x, Scalar* out) const {
  const auto& simd = simd::kernels<Scalar>();
  const Index m = dimension(), k_s = dictionary_->sparse_size();
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  std::copy_n(x, m, out);
  Scalar constant = 0;
  constexpr Index kAtOnce = 8;
  std::array<const Scalar*, kAtOnce> columns{};
  std::array<Scalar, kAtOnce> weights{};
  Index waiting = 0;
  for (Index t = 0; t < count; ++t) {
    const Index j = atoms[t];
    if (j >= k_s) {
      columns[waiting] = dense().col(j - k_s).data();
      weights[waiting++] = code[t];
    } else {
      const Scalar weight = code[t] * scale_[j];
      for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
        out[sparse.indices[p]] -= weight * sparse.values[p];
      }
      constant += code[t] * offset_[j];
    }
    if (waiting == kAtOnce || (t + 1 == count && waiting > 0)) {
      simd.residual(m, waiting, columns.data(), weights.data(), out, out);
      waiting = 0;
    }
  }
  if (constant != 0) {
    for (Index r = 0; r < m; ++r) out[r] += constant;
  }
}

template <class Scalar>
Scalar CodingDictionary<Scalar>::synthesize(Index count,
                                            const RowIndex* atoms,
                                            const Scalar* code,
                                            Scalar* out) const {
  const auto& simd = simd::kernels<Scalar>();
  const Index k_s = dictionary_->sparse_size();
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  Scalar constant = 0;
  for (Index t = 0; t < count; ++t) {
    const Index j = atoms[t];
    if (j >= k_s) {
      simd.axpy(dimension(), code[t], dense().col(j - k_s).data(), out);
      continue;
    }
    const Scalar weight = code[t] * scale_[j];
    for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
      out[sparse.indices[p]] += weight * sparse.values[p];
    }
    constant -= code[t] * offset_[j];
  }
  return constant;
}

template <class Scalar>
Scalar CodingDictionary<Scalar>::synthesize(Index count,
                                            const RowIndex* atoms,
                                            const Scalar* code,
                                            Scalar* out,
                                            std::vector<bool>& marked,
                                            std::vector<RowIndex>& touched) const {
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  for (Index t = 0; t < count; ++t) {
    for (Index p = sparse.starts[atoms[t]]; p < sparse.starts[atoms[t] + 1]; ++p) {
      const RowIndex row = sparse.indices[p];
      if (marked[row]) continue;
      marked[row] = true;
      touched.push_back(row);
    }
  }
  return synthesize(count, atoms, code, out);
}

template <class Scalar>
void CodingDictionary<Scalar>::multiply(const Matrix<Scalar>& V, Matrix<Scalar>& out) const {
  const Index m = dimension(), k_s = dictionary_->sparse_size(), k_d = size() - k_s;
  const SparseColumns<Scalar> sparse = dictionary_->sparse_block();
  out.resize(m, V.cols());
  if (k_d > 0) {
    simd::multiply<Scalar>(simd::Product::Set,
                           m,
                           V.cols(),
                           k_d,
                           {dense().data(), m},
                           {V.data() + k_s, size()},
                           out.data(),
                           m);
  } else {
    out.setZero();
  }
  if (k_s == 0) return;
  for (Index i = 0; i < V.cols(); ++i) {
    const Scalar* v = V.col(i).data();
    Scalar* y = out.col(i).data();
    Scalar constant = 0;
    for (Index j = 0; j < k_s; ++j) {
      const Scalar weight = v[j] * scale_[j];
      for (Index p = sparse.starts[j]; p < sparse.starts[j + 1]; ++p) {
        y[sparse.indices[p]] += weight * sparse.values[p];
      }
      constant -= v[j] * offset_[j];
    }
    if (constant != 0) out.col(i).array() += constant;
  }
}

template <class Scalar>
Matrix<Scalar> CodingDictionary<Scalar>::to_dense() const {
  Matrix<Scalar> atoms = Matrix<Scalar>::Zero(dimension(), size());
  for (Index j = 0; j < size(); ++j) {
    const RowIndex atom = static_cast<RowIndex>(j);
    const Scalar one = 1;
    const Scalar constant = synthesize(1, &atom, &one, atoms.col(j).data());
    atoms.col(j).array() += constant;
  }
  return atoms;
}

template class CodingDictionary<double>;
template class CodingDictionary<float>;

}  // namespace nodl
