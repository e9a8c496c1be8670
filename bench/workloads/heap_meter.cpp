// glibc lets a program replace malloc and its relatives; the originals stay at hand under other
// names. What a library maps for its own buffers does not pass here.
#include "heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>

namespace {

// Threads of the learner allocate now and then; the order in which others see it does not matter.
std::atomic<std::size_t> in_use{0};
std::atomic<std::size_t> most{0};

}  // namespace

#ifdef NODL_COUNT_HEAP

namespace {

void* counted(void* block) {
  if (block == nullptr) return block;
  const std::size_t bytes = malloc_usable_size(block);
  const std::size_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t before = most.load(std::memory_order_relaxed);
  while (now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return block;
}

void uncounted(void* block) {
  if (block != nullptr) in_use.fetch_sub(malloc_usable_size(block), std::memory_order_relaxed);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }
void* memalign(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
void* realloc(void* block, std::size_t bytes) {
  uncounted(block);
  void* moved = __libc_realloc(block, bytes);
  counted(moved == nullptr && bytes > 0 ? block : moved);  // where it fails the old one stays
  return moved;
}
void free(void* block) {
  uncounted(block);
  __libc_free(block);
}

}  // extern "C"

#endif

namespace nodl::bench {

bool HeapMeter::works() {
#ifdef NODL_COUNT_HEAP
  return true;
#else
  return false;
#endif
}

std::size_t HeapMeter::now() { return in_use.load(); }

HeapMeter::HeapMeter() : before_(now()) { most.store(before_); }

std::size_t HeapMeter::peak() const { return most.load() - before_; }

}  // namespace nodl::bench
