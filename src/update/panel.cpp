#include "update/panel.h"

#include <cmath>

#include "simd/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NODL_PANEL_AVX2
#include <immintrin.h>
#endif

namespace nodl {
namespace {

void interleave_plain(const double* const* columns, Index first, Index rows, double* panel) {
  for (Index r = first; r < rows; ++r) {
    for (Index t = 0; t < kPanelWidth; ++t) panel[r * kPanelWidth + t] = columns[t][r];
  }
}

template <class Scalar>
void subtract_plain(
    const AtomView<Scalar>* atoms, Index first, Index past, const double* weights, double* panel) {
  for (Index l = first; l < past; ++l) {
    const AtomView<Scalar> atom = atoms[l];
    const double* w = weights + l * kPanelWidth;
    for (Index p = 0; p < atom.count; ++p) {
      double* row = panel + static_cast<Index>(atom.at[p]) * kPanelWidth;
      const double value = atom.values[p];
      for (Index t = 0; t < kPanelWidth; ++t) row[t] -= w[t] * value;
    }
  }
}

Index rows_above_plain(const double* panel,
                       Index rows,
                       const double* bounds,
                       RowIndex* rows_out,
                       unsigned char* bits_out) {
  Index found = 0;
  for (Index r = 0; r < rows; ++r) {
    unsigned bits = 0;
    for (Index t = 0; t < kPanelWidth; ++t) {
      bits |= static_cast<unsigned>(std::abs(panel[r * kPanelWidth + t]) > bounds[t]) << t;
    }
    rows_out[found] = static_cast<RowIndex>(r);
    bits_out[found] = static_cast<unsigned char>(bits);
    found += bits != 0;
  }
  return found;
}

#ifdef NODL_PANEL_AVX2

bool has_avx2() { return simd::level() != simd::Level::Baseline; }

/// Four rows of four columns.
__attribute__((target("avx2,fma"))) inline void transpose(const double* const* columns,
                                                          Index r,
                                                          double* out) {
  const __m256d a = _mm256_loadu_pd(columns[0] + r), b = _mm256_loadu_pd(columns[1] + r);
  const __m256d c = _mm256_loadu_pd(columns[2] + r), d = _mm256_loadu_pd(columns[3] + r);
  const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
  const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
  _mm256_storeu_pd(out, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
  _mm256_storeu_pd(out + kPanelWidth, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
  _mm256_storeu_pd(out + 2 * kPanelWidth, _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
  _mm256_storeu_pd(out + 3 * kPanelWidth, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}

__attribute__((target("avx2,fma"))) void interleave_avx2(const double* const* columns,
                                                         Index rows,
                                                         double* panel) {
  Index r = 0;
  for (; r + 8 <= rows; r += 8) {  // a cache line of each column, which is then done with
    transpose(columns, r, panel + r * kPanelWidth);
    transpose(columns, r + 4, panel + (r + 4) * kPanelWidth);
    transpose(columns + 4, r, panel + r * kPanelWidth + 4);
    transpose(columns + 4, r + 4, panel + (r + 4) * kPanelWidth + 4);
  }
  interleave_plain(columns, r, rows, panel);
}

template <class Scalar>
__attribute__((target("avx2,fma"))) void subtract_avx2(
    const AtomView<Scalar>* atoms, Index first, Index past, const double* weights, double* panel) {
  for (Index l = first; l < past; ++l) {
    const AtomView<Scalar> atom = atoms[l];
    const __m256d low = _mm256_loadu_pd(weights + l * kPanelWidth);
    const __m256d high = _mm256_loadu_pd(weights + l * kPanelWidth + 4);
    if (_mm256_testz_si256(_mm256_castpd_si256(_mm256_or_pd(low, high)), _mm256_set1_epi64x(-1))) {
      continue;  // shares no sample with the panel
    }
    for (Index p = 0; p < atom.count; ++p) {
      double* row = panel + static_cast<Index>(atom.at[p]) * kPanelWidth;
      const __m256d value = _mm256_set1_pd(static_cast<double>(atom.values[p]));
      _mm256_storeu_pd(row, _mm256_fnmadd_pd(low, value, _mm256_loadu_pd(row)));
      _mm256_storeu_pd(row + 4, _mm256_fnmadd_pd(high, value, _mm256_loadu_pd(row + 4)));
    }
  }
}

__attribute__((target("avx2,fma"))) Index rows_above_avx2(const double* panel,
                                                          Index rows,
                                                          const double* bounds,
                                                          RowIndex* rows_out,
                                                          unsigned char* bits_out) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m256d low = _mm256_loadu_pd(bounds), high = _mm256_loadu_pd(bounds + 4);
  Index found = 0;
  for (Index r = 0; r < rows; ++r) {
    const double* row = panel + r * kPanelWidth;
    const __m256d a = _mm256_andnot_pd(sign, _mm256_loadu_pd(row));
    const __m256d b = _mm256_andnot_pd(sign, _mm256_loadu_pd(row + 4));
    const int bits = _mm256_movemask_pd(_mm256_cmp_pd(a, low, _CMP_GT_OQ)) |
                     _mm256_movemask_pd(_mm256_cmp_pd(b, high, _CMP_GT_OQ)) << 4;
    rows_out[found] = static_cast<RowIndex>(r);
    bits_out[found] = static_cast<unsigned char>(bits);
    found += bits != 0;
  }
  return found;
}

#endif

}  // namespace

void interleave(const double* const* columns, Index rows, double* panel) {
#ifdef NODL_PANEL_AVX2
  if (has_avx2()) return interleave_avx2(columns, rows, panel);
#endif
  interleave_plain(columns, 0, rows, panel);
}

template <class Scalar>
void subtract_atoms(
    const AtomView<Scalar>* atoms, Index first, Index past, const double* weights, double* panel) {
#ifdef NODL_PANEL_AVX2
  if (has_avx2()) return subtract_avx2(atoms, first, past, weights, panel);
#endif
  subtract_plain(atoms, first, past, weights, panel);
}

Index rows_above(const double* panel,
                 Index rows,
                 const double* bounds,
                 RowIndex* rows_out,
                 unsigned char* bits_out) {
#ifdef NODL_PANEL_AVX2
  if (has_avx2()) return rows_above_avx2(panel, rows, bounds, rows_out, bits_out);
#endif
  return rows_above_plain(panel, rows, bounds, rows_out, bits_out);
}

template void subtract_atoms(const AtomView<double>*, Index, Index, const double*, double*);
template void subtract_atoms(const AtomView<float>*, Index, Index, const double*, double*);

}  // namespace nodl
