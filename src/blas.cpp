#include "blas.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

// OpenBLAS only; other BLAS libraries lack them and are used as they are. Its cblas.h declares some
// of them too, but not as weak.
// NOLINTBEGIN(readability-redundant-declaration)
extern "C" {
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
void* blas_memory_alloc(int position) __attribute__((weak));
void blas_memory_free(void* buffer) __attribute__((weak));
}
// NOLINTEND(readability-redundant-declaration)

namespace nodl::blas {
namespace {

constexpr std::size_t kBuffer = std::size_t{129} << 20;  // of addresses; OpenBLAS maps 128 MB

bool room_for_a_buffer() {
  void* room =
      ::mmap(nullptr, kBuffer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && ::munmap(room, kBuffer) == 0;
}

/// OpenBLAS keeps a buffer that was used once for the next call.
void reserve_buffers(int callers) {
  static std::atomic<int> reserved{0};
  static std::mutex mutex;
  if (callers <= reserved || blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  const std::lock_guard lock(mutex);
  std::vector<void*> buffers;
  bool room = true;
  while (room && static_cast<int>(buffers.size()) < callers) {
    room = room_for_a_buffer();
    if (room) buffers.push_back(blas_memory_alloc(1));
  }
  for (void* buffer : buffers) blas_memory_free(buffer);
  if (!room) throw std::bad_alloc();
  reserved = std::max<int>(reserved, callers);
}

/// The number of threads belongs to the process: the first section to begin sets it, the last one
/// to end gives it back.
struct OpenSections {
  std::mutex mutex;
  int count = 0;
  int threads_before = 1;
};
OpenSections sections;

bool can_set_threads() {
  return openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr;
}

}  // namespace

SerialSection::SerialSection(int callers) {
  reserve_buffers(callers);
  const std::lock_guard lock(sections.mutex);
  if (sections.count++ > 0 || !can_set_threads()) return;
  sections.threads_before = openblas_get_num_threads();
  if (sections.threads_before != 1) openblas_set_num_threads(1);
}

SerialSection::~SerialSection() {
  const std::lock_guard lock(sections.mutex);
  if (--sections.count > 0 || sections.threads_before == 1) return;
  openblas_set_num_threads(sections.threads_before);
}

}  // namespace nodl::blas
