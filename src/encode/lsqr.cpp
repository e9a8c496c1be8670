#include "encode/lsqr.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "encode/lsqr_group.h"
#include "simd/kernels.h"
#include "transposed.h"

namespace nodl {
namespace {

constexpr double kTolerance = 1e-6;  // MATLAB's default
constexpr int kStagnations = 3;
constexpr Index kMostByReflections =
    64;                               // directions up to which they are turned whatever it costs
constexpr double kIndependent = 0.5;  // sine of angles between directions that a Gram matrix bears
constexpr double kFarFromDependent = 1e-6;  // ratio of a Cholesky factor's diagonal
constexpr double kLittle = 1e-6;  // share of a square below which a difference is made explicitly

Matrix<double> dense_copy(const Batch<double>& batch) {
  if (!batch.is_sparse()) return batch.matrix();
  Matrix<double> X = Matrix<double>::Zero(batch.dimension(), batch.samples());
  const SparseColumns<double>& x = batch.columns();
  for (Index i = 0; i < x.cols; ++i) {
    for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) X(x.indices[p], i) = x.values[p];
  }
  return X;
}

double square_of_sample(const Batch<double>& batch, Index i) {
  if (!batch.is_sparse()) return batch.matrix().col(i).squaredNorm();
  const SparseColumns<double>& x = batch.columns();
  const Index first = x.starts[i], count = x.starts[i + 1] - first;
  return Eigen::Map<const Vector<double>>(x.values + first, count).squaredNorm();
}

/// The scalars of one sample's recurrence; names as in MATLAB's lsqr.
struct Recurrence {
  double alpha = 0, beta = 0, c = 1, s = 0, phi_bar = 0;
  double norm_a = 0, norm_r = 0, norm_ar = 0, bound_r = 0;
  double theta = 0, rho = 0, phi = 0;
  int stagnations = 0;
  bool done = false;

  /// |b| and |A'b / |b||; done if the zero code is the solution.
  void start(double norm_b, double norm_v) {
    beta = phi_bar = norm_r = norm_b;
    bound_r = kTolerance * norm_r;
    alpha = norm_v;
    norm_ar = alpha * beta;
    done = norm_ar == 0;
  }
  /// The rotation of one step, once beta = |A v - alpha u| is known.
  void rotate(double norm_u) {
    const auto length = [](double a, double b) { return std::sqrt(a * a + b * b); };
    beta = norm_u;
    norm_a = length(norm_a, length(alpha, beta));
    theta = -s * alpha;
    const double rho_bar = c * alpha;
    rho = length(rho_bar, beta);
    c = rho_bar / rho;
    s = -beta / rho;
    phi = c * phi_bar;
    phi_bar *= s;
  }
  /// The tests look at the iterate before this step is added.
  bool stops(double norm_d, double norm_x) {
    const bool stagnant = std::abs(phi) * norm_d < std::numeric_limits<double>::epsilon() * norm_x;
    stagnations = stagnant ? stagnations + 1 : 0;
    done = norm_ar / (norm_a * norm_r) <= kTolerance || norm_r <= bound_r ||
           stagnations >= kStagnations;
    if (!done) norm_r *= std::abs(s);
    return done;
  }
  /// Once the next alpha = |A'u - beta v| is known.
  void next(double norm_v) {
    alpha = norm_v;
    norm_ar = alpha * std::abs(s * phi);
  }
};

}  // namespace

LsqrDictionary::LsqrDictionary(const CodingDictionary<double>& dictionary,
                               Index samples,
                               ThreadPool& pool)
    : dictionary_(&dictionary), centred_(dictionary.norm() == AtomNorm::Centered) {
  const Index k_s = dictionary.dictionary().sparse_size(), k_d = dictionary.size() - k_s;
  // Turning costs about four products of k_d x k_d with the rows, a sample forty of k_d.
  if (k_d > 8 * samples) return;
  const bool tall = k_s == 0 && k_d > 0 && 2 * k_d <= dictionary.dimension();
  if (tall && factorise(pool)) return;
  compressed_ = compress();
}

/// D = Q R with R from the Gram matrix, Q never formed. LSQR's iterates depend on D'D, D'x and |x|
/// alone, and R'R is D'D to rounding. False if atoms are too close to being dependent for that.
bool LsqrDictionary::factorise(ThreadPool& pool) {
  const Index k = dictionary_->size();
  const Eigen::LLT<Matrix<double>> factor(dictionary_->gram(pool));
  dense_ = Matrix<double>::Zero(k + 1, k);
  dense_.topRows(k) = factor.matrixU();
  const auto diagonal = dense_.diagonal();
  factorised_ = factor.info() == Eigen::Success && dense_.allFinite() &&
                diagonal.minCoeff() > kFarFromDependent * diagonal.maxCoeff();
  return factorised_;
}

/// Samples as LSQR sees them after D = Q R: Q'x, and the length of what no atom reaches.
Matrix<double> LsqrDictionary::turned(const Batch<double>& batch) const {
  const Index k = dictionary_->size(), n = batch.samples();
  const auto R = dense_.topRows(k).triangularView<Eigen::Upper>();
  Matrix<double> Q(k, n), u(k + 1, n);
  dictionary_->correlate(batch, Q.data());
  R.transpose().solveInPlace(Q);
  u.topRows(k) = Q;
  for (Index i = 0; i < n; ++i) {
    const double square = square_of_sample(batch, i);
    double rest = square - Q.col(i).squaredNorm();
    if (rest < kLittle * square) {  // digits were lost
      const Matrix<double> code = R.solve(Q.col(i));
      Matrix<double> fit;
      dictionary_->multiply(code, fit);
      rest = (dense_copy(batch.middle(i, 1)) - fit).squaredNorm();
    }
    u(k, i) = std::sqrt(rest);
  }
  return u;
}

void LsqrDictionary::multiply(const Matrix<double>& v, Matrix<double>& out) const {
  if (!factorised_) return dictionary_->multiply(v, out);
  const Index rows = dense_.rows(), k = dense_.cols();
  out.resize(rows, v.cols());
  simd::multiply<double>(simd::Product::Set,
                         rows,
                         v.cols(),
                         k,
                         {dense_.data(), rows},
                         {v.data(), k},
                         out.data(),
                         rows);
}

void LsqrDictionary::correlate(const Matrix<double>& u, Matrix<double>& out) const {
  if (!factorised_) return dictionary_->correlate(Batch<double>::dense(u), out.data());
  const Index rows = dense_.rows(), k = dense_.cols();
  simd::multiply<double>(simd::Product::Set,
                         k,
                         u.cols(),
                         rows,
                         {dense_.data(), rows, true},
                         {u.data(), rows},
                         out.data(),
                         k);
}

/// False if the plain dictionary must do.
bool LsqrDictionary::compress() {
  const Index m = dictionary_->dimension(), k = dictionary_->size();
  const SparseColumns<double> raw = dictionary_->dictionary().sparse_block();
  const Index k_s = raw.cols, k_d = k - k_s;
  position_.assign(m, -1);
  for (Index p = 0; p < raw.nonzeros(); ++p) position_[raw.indices[p]] = 0;
  const Index ones = centred_ && k_s > 0 ? 1 : 0, directions = ones + k_d;
  Index others = std::count(position_.begin(), position_.end(), RowIndex(-1));
  if (others <= directions) {
    if (k_d > kMostByReflections) return false;
    std::fill(position_.begin(), position_.end(), RowIndex(0));
    others = 0;
  }
  Index other = 0;
  for (RowIndex& position : position_) {
    position = static_cast<RowIndex>(position == 0 ? active_++ : -1 - other++);
  }
  // Atoms as coding sees them.
  Matrix<double> newborns(m, k_d);
  Vector<double> column = Vector<double>::Zero(m);
  offset_ = Vector<double>::Zero(k_s);
  atoms_.rows = active_;
  for (Index j = 0; j < k; ++j) {
    const RowIndex atom = static_cast<RowIndex>(j);
    const double one = 1;
    if (j >= k_s) {
      newborns.col(j - k_s).setZero();
      dictionary_->synthesize(1, &atom, &one, newborns.col(j - k_s).data());
      continue;
    }
    offset_[j] = -dictionary_->synthesize(1, &atom, &one, column.data());
    for (Index p = raw.starts[j]; p < raw.starts[j + 1]; ++p) {
      const RowIndex row = raw.indices[p];
      atoms_.push(position_[row], column[row]);
      column[row] = 0;
    }
    atoms_.end_column();
  }
  by_row_ = transposed(atoms_.view());
  // The other rows, turned.
  extra_ = others > 0 ? directions : 0;
  ones_ = Vector<double>::Zero(extra_);
  dense_.resize(k_d, active_ + extra_);
  Matrix<double> rest(others, extra_);
  if (extra_ > 0 && ones > 0) rest.col(0).setOnes();
  for (Index r = 0; r < m; ++r) {
    if (position_[r] >= 0) {
      dense_.col(position_[r]) = newborns.row(r).transpose();
    } else if (k_d > 0) {
      rest.row(-1 - position_[r]).tail(k_d) = newborns.row(r);
    }
  }
  return extra_ == 0 || turn(rest, k_d);
}

/// Sets what the other rows look like from an orthonormal basis of the directions in `rest`.
bool LsqrDictionary::turn(const Matrix<double>& rest, Index k_d) {
  const Index others = rest.rows();
  const auto set = [&](const Matrix<double>& R) {
    if (extra_ > k_d) ones_ = R.col(0);
    dense_.rightCols(extra_) = R.rightCols(k_d).transpose();
  };
  // Directions that are far from dependent: by their Gram matrix, in matrix products.
  const Vector<double> length = rest.colwise().norm();
  if (length.minCoeff() > 0) {
    const Matrix<double> unit = rest * length.cwiseInverse().asDiagonal();
    Matrix<double> gram(extra_, extra_);
    simd::multiply<double>(simd::Product::Set,
                           extra_,
                           extra_,
                           others,
                           {unit.data(), others, true},
                           {unit.data(), others},
                           gram.data(),
                           extra_);
    const Eigen::LLT<Matrix<double>> factor(gram);
    const Matrix<double> R = factor.matrixU();
    if (factor.info() == Eigen::Success && R.diagonal().minCoeff() > kIndependent) {
      const Matrix<double> inverse =
          R.triangularView<Eigen::Upper>().solve(Matrix<double>::Identity(extra_, extra_));
      basis_.resize(extra_, others);
      simd::multiply<double>(simd::Product::Set,
                             extra_,
                             others,
                             extra_,
                             {inverse.data(), extra_, true},
                             {unit.data(), others, true},
                             basis_.data(),
                             extra_);
      set(R * length.asDiagonal());
      return true;
    }
  }
  if (extra_ > kMostByReflections) return false;
  const Eigen::HouseholderQR<Matrix<double>> qr(rest);
  set(qr.matrixQR().topRows(extra_).triangularView<Eigen::Upper>());
  const Matrix<double> Q = qr.householderQ() * Matrix<double>::Identity(others, extra_);
  basis_ = Q.transpose();
  return true;
}

Index LsqrDictionary::cap(Index iterations) const {
  const Index k = dictionary_->size(), m = dictionary_->dimension();
  return iterations > 0 ? std::min({iterations, k, m}) : 10 * std::max(k, m);
}

/// Samples that go in step, side by side.
class LsqrGroup {
 public:
  LsqrGroup(const LsqrDictionary& dictionary, const Batch<double>& batch, Index first, Index count)
      : D_(dictionary),
        count_(count),
        m_(static_cast<double>(batch.dimension())),
        rows_(D_.active_ + D_.extra_),
        k_(D_.dictionary_->size()),
        u_(lsqr::kLanes, rows_),
        v_(lsqr::kLanes, k_),
        d_(Matrix<double>::Zero(lsqr::kLanes, k_)),
        x_(Matrix<double>::Zero(lsqr::kLanes, k_)) {
    u_.setZero();
    for (Index i = 0; i < count; ++i) load(batch, first + i, i);
  }

  void solve(Index cap) {
    std::array<Recurrence, lsqr::kLanes> state;
    Lanes squares{}, factor{}, zero{};
    lsqr::Operator op = {
        D_.atoms_.view(),
        D_.by_row_.view(),
        D_.offset_.data(),
        D_.dense_.rows(),
        D_.dense_.data(),
        rows_,
        D_.active_,
        D_.ones_.data(),
        D_.centred_ && D_.offset_.size() > 0,
        m_,
    };
    Lanes sums{};
    lsqr::squares_and_sums(op, u_.data(), squares.data(), sums.data());
    Lanes inverse_u{}, inverse_v{};
    Lanes norm_b{};
    for (Index i = 0; i < lsqr::kLanes; ++i) {
      norm_b[i] = std::sqrt(squares[i] + rest_[i] * rest_[i]);
      inverse_u[i] = norm_b[i] > 0 ? 1 / norm_b[i] : 0;
    }
    v_.setZero();
    lsqr::correlate(
        op, u_.data(), inverse_u.data(), sums.data(), zero.data(), v_.data(), squares.data());
    Index running = 0;
    for (Index i = 0; i < lsqr::kLanes; ++i) {
      state[i].start(norm_b[i], std::sqrt(squares[i]));
      running += state[i].done ? 0 : 1;
      inverse_v[i] = state[i].done ? 0 : 1 / state[i].alpha;
    }
    for (Index iteration = 0; iteration < cap && running > 0; ++iteration) {
      // u <- A v - alpha u
      for (Index i = 0; i < lsqr::kLanes; ++i) {
        factor[i] = state[i].done ? 0 : -state[i].alpha * inverse_u[i];
        rest_[i] *= factor[i];
      }
      lsqr::multiply(
          op, v_.data(), inverse_v.data(), factor.data(), u_.data(), squares.data(), sums.data());
      Lanes theta{}, inverse_rho{}, phi{}, d_squares{}, x_squares{};
      for (Index i = 0; i < lsqr::kLanes; ++i) {
        if (state[i].done) continue;
        state[i].rotate(std::sqrt(squares[i] + rest_[i] * rest_[i]));
        inverse_u[i] = state[i].beta > 0 ? 1 / state[i].beta : 0;
        theta[i] = state[i].theta;
        inverse_rho[i] = state[i].rho > 0 ? 1 / state[i].rho : 0;
      }
      lsqr::direct(k_,
                   v_.data(),
                   inverse_v.data(),
                   theta.data(),
                   inverse_rho.data(),
                   d_.data(),
                   x_.data(),
                   d_squares.data(),
                   x_squares.data());
      for (Index i = 0; i < lsqr::kLanes; ++i) {
        if (state[i].done) continue;
        if (state[i].stops(std::sqrt(d_squares[i]), std::sqrt(x_squares[i]))) {
          --running;
          inverse_u[i] = inverse_v[i] = 0;
        } else {
          phi[i] = state[i].phi;
        }
      }
      lsqr::step(k_, phi.data(), d_.data(), x_.data());
      if (running == 0) break;
      // v <- A'u - beta v
      for (Index i = 0; i < lsqr::kLanes; ++i) {
        factor[i] = state[i].done ? 0 : -state[i].beta * inverse_v[i];
      }
      lsqr::correlate(
          op, u_.data(), inverse_u.data(), sums.data(), factor.data(), v_.data(), squares.data());
      for (Index i = 0; i < lsqr::kLanes; ++i) {
        if (state[i].done) continue;
        state[i].next(std::sqrt(squares[i]));
        inverse_v[i] = state[i].alpha > 0 ? 1 / state[i].alpha : 0;
      }
    }
  }

  void store(Matrix<double>& codes, Index first) const {
    for (Index i = 0; i < count_; ++i) codes.col(first + i) = x_.row(i).transpose();
  }

 private:
  using Lanes = std::array<double, lsqr::kLanes>;

  /// Sample `i` of the batch, its rows turned, into a lane.
  void load(const Batch<double>& batch, Index i, Index lane) {
    Vector<double> turned = Vector<double>::Zero(D_.extra_);
    double square = 0;  // of the other rows
    const auto put = [&](Index row, double value) {
      const RowIndex at = D_.position_[row];
      if (at >= 0) {
        u_(lane, at) = value;
        return;
      }
      square += value * value;
      if (D_.extra_ > 0) turned += value * D_.basis_.col(-1 - at);
    };
    const auto each = [&](auto&& visit) {
      if (batch.is_sparse()) {
        const SparseColumns<double>& x = batch.columns();
        for (Index p = x.starts[i]; p < x.starts[i + 1]; ++p) visit(x.indices[p], x.values[p]);
      } else {
        for (Index r = 0; r < batch.dimension(); ++r) visit(r, batch.sample(i)[r]);
      }
    };
    each(put);
    for (Index e = 0; e < D_.extra_; ++e) u_(lane, D_.active_ + e) = turned[e];
    double rest = square - turned.squaredNorm();
    if (D_.extra_ > 0 && rest < kLittle * square) {  // digits were lost
      Vector<double> left = -(D_.basis_.transpose() * turned);
      each([&](Index row, double value) {
        if (D_.position_[row] < 0) left[-1 - D_.position_[row]] += value;
      });
      rest = left.squaredNorm();
    }
    rest_[lane] = std::sqrt(std::max(0.0, rest));
  }

  const LsqrDictionary& D_;
  Index count_;
  double m_;
  Index rows_, k_;
  // A lane is a row; u, v are kept unscaled, and their inverse norms beside them.
  Matrix<double> u_, v_, d_, x_;
  Lanes rest_{};  // of u: its part along what no atom reaches
};

void LsqrDictionary::solve(const Batch<double>& batch,
                           Index iterations,
                           Matrix<double>& codes) const {
  const Index n = batch.samples();
  codes = Matrix<double>::Zero(dictionary_->size(), n);
  if (codes.size() == 0) return;
  if (!compressed_) return solve_in_step(batch, iterations, codes);
  for (Index first = 0; first < n; first += lsqr::kLanes) {
    LsqrGroup group(*this, batch, first, std::min(lsqr::kLanes, n - first));
    group.solve(cap(iterations));
    group.store(codes, first);
  }
}

/// Products with all samples at once are matrix products.
void LsqrDictionary::solve_in_step(const Batch<double>& batch,
                                   Index iterations,
                                   Matrix<double>& x) const {
  const Index k = dictionary_->size(), n = batch.samples();
  Matrix<double> u = factorised_ ? turned(batch) : dense_copy(batch);
  Matrix<double> forward, v(k, n), backward(k, n);
  Matrix<double> d = Matrix<double>::Zero(k, n);
  std::vector<Recurrence> state(n);
  Vector<double> norm_b(n);
  for (Index i = 0; i < n; ++i) {
    norm_b[i] = u.col(i).norm();
    if (norm_b[i] > 0) u.col(i) /= norm_b[i];
  }
  correlate(u, v);
  Index running = 0;
  for (Index i = 0; i < n; ++i) {
    state[i].start(norm_b[i], v.col(i).norm());
    if (state[i].alpha > 0) v.col(i) /= state[i].alpha;
    running += state[i].done ? 0 : 1;
  }
  const Index steps = cap(iterations);
  for (Index iteration = 0; iteration < steps && running > 0; ++iteration) {
    multiply(v, forward);
    for (Index i = 0; i < n; ++i) {
      Recurrence& r = state[i];
      if (r.done) continue;
      u.col(i) = forward.col(i) - r.alpha * u.col(i);
      r.rotate(u.col(i).norm());
      if (r.beta > 0) u.col(i) /= r.beta;
      d.col(i) = (v.col(i) - r.theta * d.col(i)) / r.rho;
      if (r.stops(d.col(i).norm(), x.col(i).norm())) {
        --running;
      } else {
        x.col(i) += r.phi * d.col(i);
      }
    }
    if (running == 0) break;
    correlate(u, backward);
    for (Index i = 0; i < n; ++i) {
      Recurrence& r = state[i];
      if (r.done) continue;
      v.col(i) = backward.col(i) - r.beta * v.col(i);
      r.next(v.col(i).norm());
      if (r.alpha > 0) v.col(i) /= r.alpha;
    }
  }
}

}  // namespace nodl
