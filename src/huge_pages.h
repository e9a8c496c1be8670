// Fewer page faults for matrices that are made anew for every batch.
#pragma once

#include "nodl/types.h"

#ifdef __linux__
#include <sys/mman.h>

#include <cstdint>
#endif

namespace nodl {

/// Asks for pages of 2 MiB where a matrix is so large that the C library gives it memory of its own
/// and takes that back at once: else a quarter of the time that a Gram matrix of 32 MiB takes is
/// page faults.
template <class Scalar>
void use_huge_pages(Matrix<Scalar>& matrix) {
#ifdef __linux__
  constexpr std::uintptr_t kOwnMemory = 32 << 20, kHugePage = 2 << 20;
  const std::uintptr_t size = matrix.size() * sizeof(Scalar);
  if (size < kOwnMemory) return;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(matrix.data());
  const std::uintptr_t first = (start + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t past = (start + size) / kHugePage * kHugePage;
  static_cast<void>(madvise(reinterpret_cast<void*>(first), past - first, MADV_HUGEPAGE));
#else
  static_cast<void>(matrix);
#endif
}

}  // namespace nodl
