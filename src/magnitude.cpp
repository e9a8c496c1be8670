#include "magnitude.h"

#include <sstream>
#include <type_traits>

#include "nodl/error.h"

namespace nodl {
namespace {

[[noreturn]] void refuse(Index sample, double value) {
  std::ostringstream text;
  text << "sample " << sample + 1 << " of a batch holds a number of size " << value
       << ", expected at most " << kLargestNumber << ": its square would overflow";
  throw DataError(text.str());
}

}  // namespace

template <class Scalar>
void require_squarable(const Batch<Scalar>& batch) {
  if constexpr (std::is_same_v<Scalar, double>) {
    for (Index i = 0; i < batch.samples(); ++i) {
      const double* numbers = nullptr;
      Index count = batch.dimension();
      if (batch.is_sparse()) {
        numbers = batch.columns().values + batch.columns().starts[i];
        count = batch.columns().nonzeros(i);
      } else {
        numbers = batch.sample(i);
      }
      if (count == 0) continue;
      const double largest = Eigen::Map<const Vector<double>>(numbers, count).cwiseAbs().maxCoeff();
      if (largest > kLargestNumber) refuse(i, largest);
    }
  }
}

template void require_squarable(const Batch<double>&);
template void require_squarable(const Batch<float>&);

}  // namespace nodl
