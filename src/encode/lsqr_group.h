// The products and sums of LSQR for kLanes samples at a time: for every row (or atom) the numbers
// of all samples lie side by side. Compiled for the processor's vectors and chosen at run time.
#pragma once

#include "nodl/sparse.h"
#include "nodl/types.h"

namespace nodl::lsqr {

constexpr Index kLanes = 8;  // doubles: one cache line

struct Operator {
  SparseColumns<double> atoms;   // the first atoms; rows are those of u
  SparseColumns<double> by_row;  // the same, a row of the first `active` ones as a column
  const double* offset;          // what centring takes off every row of each of them
  Index dense_atoms;             // the atoms behind them,
  const double* dense;           // row by row
  Index rows;
  Index active;        // the first rows are rows of the dictionary
  const double* ones;  // the ones in the other rows
  bool centred;
  double dimension;
};

/// Of each lane of u: sum of squares, and the product with the ones.
void squares_and_sums(const Operator& op, const double* u, double* squares, double* sums);

/// u <- factor u + D (inverse v), and squares_and_sums() of it.
void multiply(const Operator& op,
              const double* v,
              const double* inverse,
              const double* factor,
              double* u,
              double* squares,
              double* sums);

/// v <- D' (inverse u) + factor v, and its squares; `sums` are those of u.
void correlate(const Operator& op,
               const double* u,
               const double* inverse,
               const double* sums,
               const double* factor,
               double* v,
               double* squares);

/// d <- (inverse v - theta d) inverse_rho, with the squares of d and x.
void direct(Index k,
            const double* v,
            const double* inverse,
            const double* theta,
            const double* inverse_rho,
            double* d,
            const double* x,
            double* d_squares,
            double* x_squares);

/// x += phi d.
void step(Index k, const double* phi, const double* d, double* x);

}  // namespace nodl::lsqr
