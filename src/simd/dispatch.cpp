#include <cstdlib>
#include <string_view>

#include "simd/kernels.h"

namespace nodl::simd {

extern const Kernels<float> kBaselineFloat;
extern const Kernels<double> kBaselineDouble;
#ifdef NODL_SIMD_X86
extern const Kernels<float> kAvx2Float;
extern const Kernels<double> kAvx2Double;
#endif

namespace {

Level best_level() {
  const char* const wish = std::getenv("NODL_CPU");
  const std::string_view name = wish != nullptr ? wish : "";
  if (name == "baseline") return Level::Baseline;
  if (name != "avx2" && supported(Level::Avx512)) return Level::Avx512;
  return supported(Level::Avx2) ? Level::Avx2 : Level::Baseline;
}

}  // namespace

bool supported(Level level) {
#ifdef NODL_SIMD_X86
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return level == Level::Baseline || (level == Level::Avx2 ? avx2 : avx2 && avx512);
#else
  return level == Level::Baseline;
#endif
}

Level level() {
  static const Level best = best_level();
  return best;
}

template <>
const Kernels<float>& kernels(Level level) {
#ifdef NODL_SIMD_X86
  if (level != Level::Baseline) return kAvx2Float;
#endif
  static_cast<void>(level);
  return kBaselineFloat;
}

template <>
const Kernels<double>& kernels(Level level) {
#ifdef NODL_SIMD_X86
  if (level != Level::Baseline) return kAvx2Double;
#endif
  static_cast<void>(level);
  return kBaselineDouble;
}

template <class Scalar>
const Kernels<Scalar>& kernels() {
  static const Kernels<Scalar>& chosen = kernels<Scalar>(level());
  return chosen;
}

template const Kernels<float>& kernels();
template const Kernels<double>& kernels();

}  // namespace nodl::simd
