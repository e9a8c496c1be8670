#include <cstdlib>
#include <string_view>

#include "simd/kernels.h"

namespace nodl::simd {

extern const Kernels<float> kBaselineFloat;
extern const Kernels<double> kBaselineDouble;
extern Multiply<float>* const kMultiplyBaselineFloat;
extern Multiply<double>* const kMultiplyBaselineDouble;
#ifdef NODL_SIMD_X86
extern const Kernels<float> kAvx2Float, kAvx512Float;
extern const Kernels<double> kAvx2Double, kAvx512Double;
extern Multiply<float>*const kMultiplyAvx2Float, *const kMultiplyAvx512Float;
extern Multiply<double>*const kMultiplyAvx2Double, *const kMultiplyAvx512Double;
#endif

namespace {

Level best_level() {
  const char* const wish = std::getenv("NODL_CPU");
  const std::string_view name = wish != nullptr ? wish : "";
  if (name == "baseline") return Level::Baseline;
  if (name != "avx2" && supported(Level::Avx512)) return Level::Avx512;
  return supported(Level::Avx2) ? Level::Avx2 : Level::Baseline;
}

#ifdef NODL_SIMD_X86
/// The loops over all atoms or all rows of a sample with longer vectors; others are too short for
/// them (docs/PERFORMANCE.md).
template <class Scalar>
Kernels<Scalar> with_longer(Kernels<Scalar> kernels, const Kernels<Scalar>& longer) {
  kernels.strongest = longer.strongest;
  kernels.largest = longer.largest;
  kernels.count_above = longer.count_above;
  kernels.above = longer.above;
  kernels.add_columns = longer.add_columns;
  kernels.scale = longer.scale;
  kernels.scaled_copy = longer.scaled_copy;
  kernels.add_scaled = longer.add_scaled;
  kernels.replace = longer.replace;
  kernels.residual = longer.residual;
  return kernels;
}
#endif

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
  static const Kernels<float> avx512 = with_longer(kAvx2Float, kAvx512Float);
  if (level == Level::Avx512) return avx512;
  if (level == Level::Avx2) return kAvx2Float;
#endif
  static_cast<void>(level);
  return kBaselineFloat;
}

template <>
const Kernels<double>& kernels(Level level) {
#ifdef NODL_SIMD_X86
  static const Kernels<double> avx512 = with_longer(kAvx2Double, kAvx512Double);
  if (level == Level::Avx512) return avx512;
  if (level == Level::Avx2) return kAvx2Double;
#endif
  static_cast<void>(level);
  return kBaselineDouble;
}

template <>
Multiply<float>* multiply_by(Level level) {
#ifdef NODL_SIMD_X86
  if (level == Level::Avx512) return kMultiplyAvx512Float;
  if (level == Level::Avx2) return kMultiplyAvx2Float;
#endif
  static_cast<void>(level);
  return kMultiplyBaselineFloat;
}

template <>
Multiply<double>* multiply_by(Level level) {
#ifdef NODL_SIMD_X86
  if (level == Level::Avx512) return kMultiplyAvx512Double;
  if (level == Level::Avx2) return kMultiplyAvx2Double;
#endif
  static_cast<void>(level);
  return kMultiplyBaselineDouble;
}

template <class Scalar>
const Kernels<Scalar>& kernels() {
  static const Kernels<Scalar>& chosen = kernels<Scalar>(level());
  return chosen;
}

template <class Scalar>
void multiply(Product product,
              Index m,
              Index n,
              Index depth,
              const Factor<Scalar>& A,
              const Factor<Scalar>& B,
              Scalar* C,
              Index stride_C) {
  static Multiply<Scalar>* const chosen = multiply_by<Scalar>(level());
  chosen(product, m, n, depth, A, B, C, stride_C);
}

template const Kernels<float>& kernels();
template const Kernels<double>& kernels();
template Multiply<float> multiply;
template Multiply<double> multiply;

}  // namespace nodl::simd
