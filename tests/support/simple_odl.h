// Online dictionary learning (Algorithm 1 without its highlighted lines), written plainly.
#pragma once

#include "support/simple_coders.h"
#include "support/simple_update.h"

namespace nodl::test {

class SimpleOdl {
 public:
  SimpleOdl(Matrix<double> dictionary, const Options& options)
      : D(std::move(dictionary)),
        A(Matrix<double>::Zero(D.cols(), D.cols())),
        B(Matrix<double>::Zero(D.rows(), D.cols())),
        options_(options) {}

  void learn_batch(const Matrix<double>& X) {
    const Matrix<double> D1 = simple_normalised(D, options_.coding.atom_norm);
    for (Index n = 0; n < X.cols(); ++n) {
      const Vector<double> c = code(D1, X.col(n));  // step 4
      A += c * c.transpose();                       // step 11
      B += X.col(n) * c.transpose();
    }
    D = simple_update(D, A, B, options_.update, options_.bisection).D;  // steps 12-19
  }

  Matrix<double> D, A, B;

 private:
  Vector<double> code(const Matrix<double>& D1, const Vector<double>& x) const {
    if (options_.coding.coder == Coder::Threshold) {
      return simple_threshold_code(D1, x, options_.coding, options_.bisection).code;
    }
    if (options_.coding.coder == Coder::Omp)
      return simple_omp(D1, x, *options_.coding.code_nonzeros);
    return simple_lasso_path(D1,
                             x,
                             options_.coding.code_nonzeros.value_or(D1.cols()),
                             options_.coding.lambda.value_or(0))
        .code;
  }

  Options options_;
};

}  // namespace nodl::test
