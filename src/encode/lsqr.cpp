#include "encode/lsqr.h"

#include <cmath>
#include <limits>

namespace nodl {
namespace {

constexpr double kTolerance = 1e-6;  // MATLAB's default
constexpr int kStagnations = 3;

template <class Scalar>
Matrix<Scalar> dense_copy(const Batch<Scalar>& batch) {
  if (!batch.is_sparse()) return batch.matrix();
  Matrix<Scalar> X = Matrix<Scalar>::Zero(batch.dimension(), batch.samples());
  const SparseColumns<Scalar>& x = batch.columns();
  for (Index i = 0; i < x.cols; ++i) {
    for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) X(x.indices[p], i) = x.values[p];
  }
  return X;
}

/// The scalars of one sample's recurrence; names as in MATLAB's lsqr.
struct Recurrence {
  double alpha = 0, beta = 0, c = 1, s = 0, phi_bar = 0;
  double norm_a = 0, norm_r = 0, norm_ar = 0, bound_r = 0;
  int stagnations = 0;
  bool done = false;
};

}  // namespace

template <class Scalar>
Matrix<Scalar> lsqr(const CodingDictionary<Scalar>& dictionary,
                    const Batch<Scalar>& batch,
                    Index iterations) {
  const Index k = dictionary.size(), n = batch.samples();
  Matrix<Scalar> x = Matrix<Scalar>::Zero(k, n);
  if (k == 0 || n == 0) return x;
  Matrix<Scalar> u = dense_copy(batch), Av, v(k, n), Atu(k, n);
  Matrix<Scalar> d = Matrix<Scalar>::Zero(k, n);
  std::vector<Recurrence> state(n);
  Index running = n;
  const auto stop = [&](Recurrence& r) {
    r.done = true;
    --running;
  };
  for (Index i = 0; i < n; ++i) {
    Recurrence& r = state[i];
    r.beta = r.phi_bar = r.norm_r = u.col(i).norm();
    r.bound_r = kTolerance * r.norm_r;
    if (r.beta > 0) u.col(i) /= static_cast<Scalar>(r.beta);
  }
  dictionary.correlate(Batch<Scalar>::dense(u), v.data());
  for (Index i = 0; i < n; ++i) {
    Recurrence& r = state[i];
    r.alpha = v.col(i).norm();
    if (r.alpha > 0) v.col(i) /= static_cast<Scalar>(r.alpha);
    r.norm_ar = r.alpha * r.beta;
    if (r.norm_ar == 0) stop(r);  // the zero code is the solution
  }
  const Index cap = iterations > 0 ? std::min({iterations, k, dictionary.dimension()})
                                   : 10 * std::max(k, dictionary.dimension());
  for (Index iteration = 0; iteration < cap && running > 0; ++iteration) {
    dictionary.multiply(v, Av);
    for (Index i = 0; i < n; ++i) {
      Recurrence& r = state[i];
      if (r.done) continue;
      u.col(i) = Av.col(i) - static_cast<Scalar>(r.alpha) * u.col(i);
      r.beta = u.col(i).norm();
      if (r.beta > 0) u.col(i) /= static_cast<Scalar>(r.beta);
      r.norm_a = std::hypot(r.norm_a, std::hypot(r.alpha, r.beta));
      const double theta = -r.s * r.alpha, rho_bar = r.c * r.alpha;
      const double rho = std::hypot(rho_bar, r.beta);
      r.c = rho_bar / rho;
      r.s = -r.beta / rho;
      const double phi = r.c * r.phi_bar;
      r.phi_bar *= r.s;
      d.col(i) = (v.col(i) - static_cast<Scalar>(theta) * d.col(i)) / static_cast<Scalar>(rho);
      const bool stagnant = std::abs(phi) * d.col(i).norm() <
                            std::numeric_limits<Scalar>::epsilon() * x.col(i).norm();
      r.stagnations = stagnant ? r.stagnations + 1 : 0;
      // The tests look at the iterate before this step is added.
      if (r.norm_ar / (r.norm_a * r.norm_r) <= kTolerance || r.norm_r <= r.bound_r ||
          r.stagnations >= kStagnations) {
        stop(r);
        continue;
      }
      x.col(i) += static_cast<Scalar>(phi) * d.col(i);
      r.norm_r *= std::abs(r.s);
      r.norm_ar = phi;  // finished below, when the next alpha is known
    }
    if (running == 0) break;
    dictionary.correlate(Batch<Scalar>::dense(u), Atu.data());
    for (Index i = 0; i < n; ++i) {
      Recurrence& r = state[i];
      if (r.done) continue;
      v.col(i) = Atu.col(i) - static_cast<Scalar>(r.beta) * v.col(i);
      r.alpha = v.col(i).norm();
      if (r.alpha > 0) v.col(i) /= static_cast<Scalar>(r.alpha);
      r.norm_ar = r.alpha * std::abs(r.s * r.norm_ar);
    }
  }
  return x;
}

template Matrix<double> lsqr(const CodingDictionary<double>&, const Batch<double>&, Index);
template Matrix<float> lsqr(const CodingDictionary<float>&, const Batch<float>&, Index);

}  // namespace nodl
