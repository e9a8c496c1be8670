// Matrices, dictionaries and coding problems for tests, from fixed seeds.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "nodl/batch.h"
#include "nodl/dictionary.h"
#include "nodl/options.h"
#include "nodl/random.h"
#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl::test {

template <class Scalar>
constexpr double epsilon() {
  return static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

inline Matrix<double> gaussian(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed, Purpose::SyntheticData, 4711);
  Matrix<double> M(rows, cols);
  for (double& entry : M.reshaped()) entry = random.normal();
  return M;
}

/// Gaussian with `nonzeros` entries a column, at random places.
inline Matrix<double> sparse_gaussian(Index rows, Index cols, Index nonzeros, std::uint64_t seed) {
  Random random(seed, Purpose::SyntheticData, 4712);
  Matrix<double> M = Matrix<double>::Zero(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    for (Index placed = 0; placed < nonzeros;) {
      const auto i = static_cast<Index>(random.below(static_cast<std::uint64_t>(rows)));
      if (M(i, j) != 0) continue;
      M(i, j) = random.normal();
      ++placed;
    }
  }
  return M;
}

/// 0/1 samples as in Sec. 4.2 of the paper: `ones` ones among rows first .. first + count - 1.
inline Matrix<double> binary_samples(
    Index rows, Index first, Index count, Index ones, Index samples, std::uint64_t seed) {
  Random random(seed, Purpose::SyntheticData, 4713);
  Matrix<double> X = Matrix<double>::Zero(rows, samples);
  for (Index n = 0; n < samples; ++n) {
    for (Index placed = 0; placed < ones;) {
      const auto i = first + static_cast<Index>(random.below(static_cast<std::uint64_t>(count)));
      if (X(i, n) != 0) continue;
      X(i, n) = 1;
      ++placed;
    }
  }
  return X;
}

inline Matrix<double> unit_columns(Matrix<double> M) {
  for (Index j = 0; j < M.cols(); ++j) {
    if (M.col(j).norm() > 0) M.col(j) /= M.col(j).norm();
  }
  return M;
}

/// Columns in random places of a permutation of 0 .. size - 1.
inline std::vector<Index> permutation(Index size, std::uint64_t seed) {
  Random random(seed, Purpose::SyntheticData, 4714);
  std::vector<Index> order(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) order[i] = i;
  for (Index i = size - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order;
}

template <class Scalar>
SparseMatrix<Scalar> to_sparse(const Matrix<Scalar>& dense) {
  SparseMatrix<Scalar> sparse;
  sparse.rows = dense.rows();
  for (Index j = 0; j < dense.cols(); ++j) {
    for (Index i = 0; i < dense.rows(); ++i) {
      if (dense(i, j) != 0) sparse.push(i, dense(i, j));
    }
    sparse.end_column();
  }
  return sparse;
}

inline std::vector<AtomRecord> records(Index count, std::int64_t first_id = 0) {
  std::vector<AtomRecord> list(static_cast<std::size_t>(count));
  for (Index j = 0; j < count; ++j) list[j].id = first_id + j;
  return list;
}

/// A dictionary whose first `sparse_count` atoms are stored sparse, the others dense.
template <class Scalar>
Dictionary<Scalar> dictionary_of(const Matrix<Scalar>& atoms, Index sparse_count = 0) {
  Dictionary<Scalar> dictionary(atoms.rows());
  const Index dense_count = atoms.cols() - sparse_count;
  if (sparse_count > 0) {
    const Matrix<Scalar> first = atoms.leftCols(sparse_count);
    dictionary.append(first, records(sparse_count));
    dictionary.replace_by_sparse(to_sparse(first));
  }
  if (dense_count > 0) {
    dictionary.append(atoms.rightCols(dense_count), records(dense_count, sparse_count));
  }
  return dictionary;
}

inline CodingOptions with_count(Coder coder, Index nonzeros, AtomNorm norm = AtomNorm::Raw) {
  CodingOptions options;
  options.coder = coder;
  options.code_nonzeros = nonzeros;
  options.atom_norm = norm;
  return options;
}

inline CodingOptions with_lambda(Coder coder, double lambda, AtomNorm norm = AtomNorm::Raw) {
  CodingOptions options;
  options.coder = coder;
  options.lambda = lambda;
  options.atom_norm = norm;
  return options;
}

/// Atoms and samples, one a column; what makes the problem hard is in its name.
struct Problem {
  std::string name;
  Matrix<double> atoms;
  Matrix<double> samples;
};

/// Gaussian samples, one made of three atoms, one along an atom, a zero and a constant one.
inline Matrix<double> samples_for(const Matrix<double>& atoms, std::uint64_t seed) {
  const Index m = atoms.rows();
  const Index k = atoms.cols();
  Matrix<double> X(m, 7);
  X.leftCols(3) = gaussian(m, 3, seed);
  X.col(3) = atoms.col(0) - 0.5 * atoms.col(k / 2) + 2 * atoms.col(k - 1);
  X.col(4) = -3 * atoms.col(k / 3);
  X.col(5).setZero();
  X.col(6).setConstant(0.7);
  return X;
}

inline std::vector<Problem> lasso_problems() {
  std::vector<Problem> list;
  const auto add = [&](std::string name, Matrix<double> atoms) {
    Matrix<double> samples = samples_for(atoms, 1000 + list.size());
    list.push_back({std::move(name), std::move(atoms), std::move(samples)});
  };
  const auto correlated = [](Index m, Index k, double rho, std::uint64_t seed) {
    const Matrix<double> own = unit_columns(gaussian(m, k, seed));
    const Vector<double> common = unit_columns(gaussian(m, 1, seed + 1)).col(0);
    Matrix<double> D = std::sqrt(1 - rho) * own;
    D.colwise() += std::sqrt(rho) * common;
    return D;
  };
  add("gaussian", gaussian(40, 25, 1));
  add("overcomplete", unit_columns(gaussian(20, 60, 2)));
  add("correlated", correlated(40, 25, 0.99, 3));
  add("correlated overcomplete", correlated(20, 40, 0.99, 5));
  add("low rank", gaussian(30, 5, 7) * gaussian(5, 20, 8));

  Matrix<double> duplicated(30, 24);
  const Matrix<double> once = unit_columns(gaussian(30, 12, 9));
  duplicated << once, once;
  duplicated.col(23) *= -1;  // and one of them negated
  add("duplicated", duplicated);

  Matrix<double> zeros = gaussian(25, 20, 10);
  for (const Index j : {0, 7, 19}) zeros.col(j).setZero();
  add("zero atoms", zeros);

  add("sparse atoms", sparse_gaussian(60, 40, 5, 11));
  add("badly scaled",
      gaussian(30, 20, 12) * Vector<double>::LinSpaced(20, -3, 3)
                                 .unaryExpr([](double e) { return std::pow(10, e); })
                                 .asDiagonal());
  add("binary", binary_samples(32, 0, 32, 6, 24, 13));  // many equal inner products
  add("identity", Matrix<double>::Identity(12, 12));
  add("one coordinate", gaussian(1, 5, 14));
  add("one atom", gaussian(10, 1, 15));
  return list;
}

}  // namespace nodl::test
