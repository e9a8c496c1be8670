// Bytes on the heap now and at most, counted at every malloc and free of the process.
#pragma once

#include <cstddef>

namespace nodl::bench {

class HeapMeter {
 public:
  static bool works();  // false under sanitizers, which have a malloc of their own
  static std::size_t now();

  /// From here on: how much more than now was in use at most.
  HeapMeter();
  std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace nodl::bench
