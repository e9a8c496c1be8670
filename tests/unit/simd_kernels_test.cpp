// Every kernel of every instruction set that this processor has, against plain loops, over lengths
// and alignments.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "simd/kernels.h"

namespace nodl::simd {
namespace {

template <class Scalar>
class SimdKernels : public ::testing::Test {
 protected:
  static constexpr double eps = std::numeric_limits<Scalar>::epsilon();

  /// Numbers in (-1, 1) that start `offset` numbers after an aligned address.
  struct Numbers {
    Numbers(Index n, Index offset, unsigned seed)
        : storage(n + offset + 64), data(&storage[offset]) {
      std::mt19937 random(seed);
      std::uniform_real_distribution<Scalar> uniform(-1, 1);
      for (Scalar& x : storage) x = uniform(random);
    }
    std::vector<Scalar> storage;
    Scalar* data;
  };

  /// Those of this processor.
  static std::vector<Level> levels() {
    std::vector<Level> all{Level::Baseline, Level::Avx2, Level::Avx512};
    std::erase_if(all, [](Level level) { return !supported(level); });
    return all;
  }

  /// body(level, n, offset) for every level, length and alignment.
  template <class Body>
  static void on_levels(const Body& body) {
    for (const Level level : levels()) {
      for (const Index n :
           {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257, 2100}) {
        for (const Index offset : {0, 1, 3}) {
          SCOPED_TRACE("level " + std::to_string(static_cast<int>(level)) + ", n " +
                       std::to_string(n) + ", offset " + std::to_string(offset));
          body(level, n, offset);
        }
      }
    }
  }
  /// body(kernels, n, offset).
  template <class Body>
  static void everywhere(const Body& body) {
    on_levels([&](Level level, Index n, Index offset) { body(kernels<Scalar>(level), n, offset); });
  }
  /// body(multiply, n, offset).
  template <class Body>
  static void products_everywhere(const Body& body) {
    on_levels(
        [&](Level level, Index n, Index offset) { body(multiply_by<Scalar>(level), n, offset); });
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SimdKernels, Scalars);

TYPED_TEST(SimdKernels, StrongestListsLargestExcesses) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers c(n, offset, 1), bound(n, 0, 2);
    const auto excess = [&](Index i) { return std::abs(c.data[i]) - bound.data[i]; };
    constexpr Scalar kLeast = Scalar(0.1), kShare = Scalar(0.5);
    Scalar top = kLeast;
    for (Index i = 0; i < n; ++i) top = std::max(top, excess(i));
    std::vector<RowIndex> found(5, -1);
    const Index count = simd.strongest(c.data, bound.data, n, kLeast, kShare, found.data(), 4);
    EXPECT_EQ(found[4], -1);
    EXPECT_EQ(count > 0, top > kLeast);
    if (count > 0) {
      EXPECT_EQ(excess(found[0]), top);
    }
    for (Index t = 0; t < count; ++t) {
      EXPECT_GT(excess(found[t]), std::max(kLeast, kShare * top));
      if (t > 0) {
        EXPECT_LT(excess(found[t]), excess(found[t - 1]));
      }
    }
    EXPECT_EQ(simd.strongest(c.data, bound.data, n, Scalar(3), kShare, found.data(), 4), 0);
    EXPECT_LE(simd.strongest(c.data, bound.data, n, kLeast, kShare, found.data(), 1), 1);
  });
}

TYPED_TEST(SimdKernels, GroupsAreGatheredAndProjected) {
  using Scalar = TypeParam;
  for (const Level level : TestFixture::levels()) {
    const auto& simd = kernels<Scalar>(level);
    for (const Index p : {1, 2, 3, 4, 5, 8, 13, 40}) {
      const Index stride = p + 8;
      typename TestFixture::Numbers M(p * stride, 1, 21), table(kGroup * 100, 0, 22);
      for (Index t = 0; t < p; ++t) {
        for (Index i = t + 1; i < stride; ++i) M.data[t * stride + i] = 0;
      }
      std::vector<const Scalar*> columns;
      for (Index e = 0; e < kGroup; ++e) columns.push_back(table.data + e * 100);
      std::vector<RowIndex> at(p);
      for (Index i = 0; i < p; ++i) at[i] = static_cast<RowIndex>((i * 37) % 100);
      std::vector<Scalar> R(p * kGroup), X(p * kGroup), rest(kGroup, Scalar(1));
      simd.gather_group(p, at.data(), columns.data(), R.data());
      for (Index i = 0; i < p; ++i) {
        for (Index e = 0; e < kGroup; ++e) EXPECT_EQ(R[i * kGroup + e], columns[e][at[i]]);
      }
      const Index half = p / 2;  // in two goes, as when atoms join one by one
      simd.project_group(0, half, M.data, stride, R.data(), X.data(), rest.data());
      simd.project_group(half, p, M.data, stride, R.data(), X.data(), rest.data());
      for (Index e = 0; e < kGroup; ++e) {
        double squares = 0;
        for (Index t = 0; t < p; ++t) {
          double sum = 0;
          for (Index i = 0; i <= t; ++i) {
            sum += static_cast<double>(M.data[t * stride + i]) * R[i * kGroup + e];
          }
          EXPECT_NEAR(X[t * kGroup + e], sum, 2 * TestFixture::eps * static_cast<double>(p));
          squares += sum * sum;
        }
        EXPECT_NEAR(rest[e], 1 - squares, 8 * TestFixture::eps * (1 + squares) * double(p));
      }
    }
  }
}

TYPED_TEST(SimdKernels, CountsAndListsWhatIsAbove) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers c(n, offset, 6);
    std::vector<RowIndex> expected;
    Scalar largest = 0;
    for (Index i = 0; i < n; ++i) {
      if (std::abs(c.data[i]) > Scalar(0.6)) expected.push_back(static_cast<RowIndex>(i));
      largest = std::max(largest, std::abs(c.data[i]));
    }
    std::vector<RowIndex> found(n + 1);
    const Index count = simd.above(c.data, n, Scalar(0.6), found.data(), n);
    found.resize(count);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(simd.count_above(c.data, n, Scalar(0.6)), count);
    EXPECT_EQ(simd.largest(c.data, n), largest);
    if (count > 1) {
      EXPECT_EQ(simd.above(c.data, n, Scalar(0.6), found.data(), count - 1), count - 1);
    }
  });
}

TYPED_TEST(SimdKernels, AllAreWithinUnlessOneIsNot) {
  using Scalar = TypeParam;
  using Limits = std::numeric_limits<Scalar>;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers c(n, offset, 5);
    EXPECT_TRUE(simd.all_within(c.data, n, Scalar(1)));
    EXPECT_TRUE(simd.all_within(c.data, n, Limits::max()));
    for (const Index at : {Index{0}, n / 2, n - 1}) {
      if (at < 0 || at >= n) continue;
      const Scalar before = c.data[at];
      for (const Scalar wrong : {Scalar(-1.5), Limits::infinity(), -Limits::quiet_NaN()}) {
        c.data[at] = wrong;
        EXPECT_FALSE(simd.all_within(c.data, n, Scalar(1.25))) << at << " is " << wrong;
      }
      c.data[at] = Scalar(-1.5);
      EXPECT_TRUE(simd.all_within(c.data, n, Scalar(1.5)));
      c.data[at] = before;
    }
  });
}

TYPED_TEST(SimdKernels, DotAxpyGatherRotate) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers x(n, offset, 7), y(n, 1, 8), z(n, 2, 9);
    double dot = 0;
    for (Index i = 0; i < n; ++i) dot += static_cast<double>(x.data[i]) * y.data[i];
    EXPECT_NEAR(
        simd.dot(x.data, y.data, n), dot, 4 * TestFixture::eps * static_cast<double>(n + 1));

    const auto before = y.storage;
    simd.axpy(n, Scalar(-0.3), x.data, y.data);
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(y.data[i], before[i + 1] - Scalar(0.3) * x.data[i], 2 * TestFixture::eps);
    }
    EXPECT_EQ(y.storage[0], before[0]);          // nothing before
    EXPECT_EQ(y.storage[n + 1], before[n + 1]);  // nor after

    std::vector<double> wide(n + 1, 0.25);
    const std::array<const Scalar*, 3> columns{x.data, z.data, x.data};
    const std::array<double, 3> weights{1.5, -0.75, 0.125};
    auto one_by_one = wide;
    simd.add_columns(n, 3, columns.data(), weights.data(), wide.data());
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(wide[i], 0.25 + 1.625 * x.data[i] - 0.75 * z.data[i], 1e-15);
    }
    EXPECT_EQ(wide[n], 0.25);
    for (Index c = 0; c < 3; ++c) {
      simd.add_columns(n, 1, &columns[c], &weights[c], one_by_one.data());
    }
    EXPECT_EQ(one_by_one, wide) << "bits depend on how many are added at a time";

    std::vector<Scalar> rounded(n + 1, Scalar(5));
    simd.scaled_copy(n, 0.7, wide.data(), rounded.data());
    for (Index i = 0; i < n; ++i) EXPECT_EQ(rounded[i], static_cast<Scalar>(0.7 * wide[i]));
    EXPECT_EQ(rounded[n], 5);
    const auto unscaled = rounded;
    simd.scale(n, Scalar(-0.3), rounded.data());
    for (Index i = 0; i < n; ++i) EXPECT_EQ(rounded[i], Scalar(-0.3) * unscaled[i]);
    EXPECT_EQ(rounded[n], 5);

    std::vector<RowIndex> index(n);
    for (Index i = 0; i < n; ++i) index[i] = static_cast<RowIndex>((i * 7) % n);
    std::vector<Scalar> out(n);
    simd.gather(x.data, index.data(), n, out.data());
    for (Index i = 0; i < n; ++i) EXPECT_EQ(out[i], x.data[index[i]]);

    const auto a = x.storage, b = z.storage;
    simd.rotate(n, Scalar(0.8), Scalar(0.6), x.data, z.data);
    for (Index i = 0; i < n; ++i) {
      const Scalar p = a[i + offset], q = b[i + 2];
      EXPECT_NEAR(x.data[i], Scalar(0.8) * p + Scalar(0.6) * q, 2 * TestFixture::eps);
      EXPECT_NEAR(z.data[i], Scalar(0.8) * q - Scalar(0.6) * p, 2 * TestFixture::eps);
    }
  });
}

TYPED_TEST(SimdKernels, TurnsOfTheDenseUpdate) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers x(n, offset, 7), y(n, 1, 8), z(n, 2, 9);
    long double square = 0;
    for (Index i = 0; i < n; ++i) square += static_cast<long double>(x.data[i]) * x.data[i];
    // In double, whatever the numbers are: each of 16 chains rounds n / 16 times.
    const double rounding = 1.2e-16 * static_cast<double>(n / 16 + 8);
    EXPECT_NEAR(simd.square(x.data, n), static_cast<double>(square), rounding * square);

    const auto before = z.storage;
    simd.add_scaled(n, x.data, Scalar(0.7), y.data, z.data);
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(z.data[i], x.data[i] + Scalar(0.7) * y.data[i], 2 * TestFixture::eps);
    }
    EXPECT_EQ(z.storage[1], before[1]);          // nothing before
    EXPECT_EQ(z.storage[n + 2], before[n + 2]);  // nor after

    const auto old = y.storage;
    std::vector<Scalar> step(n + 1, Scalar(5));
    const Scalar largest = simd.replace(n, Scalar(-0.5), x.data, y.data, step.data());
    Scalar expected = 0;
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(y.data[i], Scalar(-0.5) * x.data[i]);
      EXPECT_NEAR(step[i], y.data[i] - old[i + 1], TestFixture::eps);
      expected = std::max(expected, std::abs(step[i]));
    }
    EXPECT_EQ(largest, expected);
    EXPECT_EQ(y.storage[0], old[0]);
    EXPECT_EQ(y.storage[n + 1], old[n + 1]);
    EXPECT_EQ(step[n], 5);
  });
}

TYPED_TEST(SimdKernels, SubtractRowsAndColumns) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    for (const Index count : {0, 1, 3, 4, 5, 9}) {
      const Index stride = n + 5;
      typename TestFixture::Numbers rows(count * stride, offset, 10), x(count, 0, 11), g(n, 1, 12);
      std::vector<Scalar> y(n + 1, Scalar(7));
      simd.subtract_rows(n, count, rows.data, stride, x.data, Scalar(0.5), g.data, y.data());
      std::vector<const Scalar*> columns;
      for (Index t = 0; t < count; ++t) columns.push_back(rows.data + t * stride);
      std::vector<Scalar> z(g.data, g.data + n);
      simd.residual(n, count, columns.data(), x.data, z.data(), z.data());  // in place
      std::vector<Scalar> sum_of(n + 1, Scalar(7));
      simd.combine(n, count, columns.data(), x.data, sum_of.data());
      std::vector<Scalar> rest(n + 1, Scalar(7));
      simd.residual(n, count, columns.data(), x.data, g.data, rest.data());
      for (Index i = 0; i < n; ++i) {
        double sum = g.data[i];
        for (Index t = 0; t < count; ++t) {
          sum -= static_cast<double>(x.data[t]) * rows.data[t * stride + i];
        }
        const double rounding = 2 * TestFixture::eps * static_cast<double>(count + 1);
        EXPECT_NEAR(y[i], 0.5 * sum, rounding);
        EXPECT_NEAR(z[i], sum, rounding);
        EXPECT_NEAR(rest[i], sum, rounding);
        EXPECT_NEAR(sum_of[i], g.data[i] - sum, rounding);
      }
      EXPECT_EQ(y[n], Scalar(7));
      EXPECT_EQ(rest[n], Scalar(7));
      EXPECT_EQ(sum_of[n], Scalar(7));
    }
  });
}

TYPED_TEST(SimdKernels, MatricesAreMultipliedHoweverTheyAreCut) {
  using Scalar = TypeParam;
  this->products_everywhere([](Multiply<Scalar>* multiply, Index depth, Index offset) {
    for (const Index m : {1, 11, 12, 24, 47, 48, 61, 144}) {
      for (const Index n : {1, 4, 7, 13, 40, 66}) {
        // Each way of storing the factors, and each product, by turns.
        const Index way = m + n + depth;
        const bool left = way % 2 == 1, right = way / 2 % 2 == 1;
        const Product product = std::array{Product::Set, Product::Add, Product::Subtract}[way % 3];
        const Index stride_A = (left ? depth : m) + offset, stride_B = (right ? n : depth) + offset;
        const Index stride_C = m + 2 * offset;
        typename TestFixture::Numbers A(stride_A * (left ? m : depth), offset, 1);
        typename TestFixture::Numbers B(stride_B * (right ? depth : n), offset, 2);
        typename TestFixture::Numbers C(stride_C * n, offset, 3), cut = C;
        cut.data = &cut.storage[offset];
        const std::vector<Scalar> before = C.storage;
        const auto from = [&](Index row,
                              Index column) -> std::pair<Factor<Scalar>, Factor<Scalar>> {
          return {{A.data + (left ? row * stride_A : row), stride_A, left},
                  {B.data + (right ? column : column * stride_B), stride_B, right}};
        };
        const auto [a, b] = from(0, 0);
        multiply(product, m, n, depth, a, b, C.data, stride_C);
        for (Index c = 0; c < n; ++c) {
          for (Index i = 0; i < stride_C; ++i) {
            const Index at = offset + c * stride_C + i;
            double expected = i < m && product == Product::Set ? 0 : before[at];
            double size = std::abs(expected);
            for (Index j = 0; i < m && j < depth; ++j) {
              const double term =
                  static_cast<double>(A.data[left ? i * stride_A + j : j * stride_A + i]) *
                  B.data[right ? j * stride_B + c : c * stride_B + j];
              expected += product == Product::Subtract ? -term : term;
              size += std::abs(term);
            }
            ASSERT_NEAR(
                C.storage[at], expected, static_cast<double>(depth + 2) * TestFixture::eps * size)
                << "row " << i << " of " << m << ", column " << c << " of " << n;
          }
        }
        for (const Index row : {Index{0}, m / 3}) {
          for (const Index column : {Index{0}, n / 2}) {
            const Index rows = row == 0 ? m / 3 : m - row,
                        columns = column == 0 ? n / 2 : n - column;
            if (rows == 0 || columns == 0) continue;
            const auto [some, others] = from(row, column);
            multiply(product,
                     rows,
                     columns,
                     depth,
                     some,
                     others,
                     cut.data + column * stride_C + row,
                     stride_C);
          }
        }
        if (m < 3 || n < 2) continue;
        ASSERT_EQ(cut.storage, C.storage) << m << " x " << n;
      }
    }
  });
}

TYPED_TEST(SimdKernels, TransposesAnyRectangle) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index m, Index offset) {
    for (const Index n : {1, 7, 8, 16, 37}) {
      const Index stride_from = m + offset, stride_to = n + 2 * offset;
      typename TestFixture::Numbers from(stride_from * n, offset, 1), to(stride_to * m, offset, 2);
      std::vector<Scalar> expected = to.storage;
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          expected[offset + i * stride_to + j] = from.data[j * stride_from + i];
        }
      }
      simd.transpose(m, n, from.data, stride_from, to.data, stride_to);
      ASSERT_EQ(to.storage, expected) << "n " << n;
    }
  });
}

TYPED_TEST(SimdKernels, TrianglesAreSolved) {
  using Scalar = TypeParam;
  for (const Level level : TestFixture::levels()) {
    const auto& simd = kernels<Scalar>(level);
    for (const Index p : {0, 1, 2, 5, 8, 13, 40}) {
      const Index stride = p + 3;
      typename TestFixture::Numbers L(p * stride, 1, 13), x(p, 0, 14);
      for (Index i = 0; i < p; ++i) L.data[i * stride + i] = Scalar(8);  // well conditioned
      std::vector<Scalar> lower(x.data, x.data + p), upper = lower;
      simd.solve_lower(p, L.data, stride, lower.data());
      simd.solve_upper(p, L.data, stride, upper.data());
      for (Index i = 0; i < p; ++i) {
        double back = 0, forth = 0;  // (L lower)_i and (L^T upper)_i
        for (Index t = 0; t <= i; ++t)
          back += static_cast<double>(L.data[i * stride + t]) * lower[t];
        for (Index t = i; t < p; ++t)
          forth += static_cast<double>(L.data[t * stride + i]) * upper[t];
        EXPECT_NEAR(back, x.data[i], 40 * TestFixture::eps);
        EXPECT_NEAR(forth, x.data[i], 40 * TestFixture::eps);
      }
    }
  }
}

TYPED_TEST(SimdKernels, TrianglesAreMultipliedWithAndTheirTransposes) {
  using Scalar = TypeParam;
  for (const Level level : TestFixture::levels()) {
    for (const Index p : {0, 1, 3, 4, 9, 16, 33, 70}) {
      const Index stride = (p + 31) / 32 * 32;
      typename TestFixture::Numbers M(stride * stride, 0, 21), x(stride, 1, 22);
      for (Index t = 0; t < stride; ++t) {
        for (Index i = t + 1; i < stride; ++i) M.data[t * stride + i] = 0;
      }
      std::fill(x.data + p, x.data + stride, Scalar(0));
      std::vector<Scalar> along(stride, 7), y(stride, 7);
      kernels<Scalar>(level).project_and_combine(p, M.data, stride, x.data, along.data(), y.data());
      std::vector<double> back(p, 0);
      for (Index t = 0; t < p; ++t) {
        double dot = 0;
        for (Index i = 0; i <= t; ++i)
          dot += static_cast<double>(M.data[t * stride + i]) * x.data[i];
        EXPECT_NEAR(along[t], dot, 4 * static_cast<double>(p) * TestFixture::eps);
        for (Index i = 0; i <= t; ++i) back[i] += dot * M.data[t * stride + i];
      }
      for (Index i = 0; i < p; ++i) {
        EXPECT_NEAR(y[i], back[i], 4 * static_cast<double>(p * p) * TestFixture::eps);
      }
      for (Index t = p; t < stride; ++t) EXPECT_EQ(along[t], 7) << "written behind its end";
    }
  }
}

TYPED_TEST(SimdKernels, TheFirstZeroIsWhereAValueChangesItsSign) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers value(n, offset, 23), direction(n, 1, 24);
    double first = 2;
    for (Index i = 0; i < n; ++i) {
      if (i % 5 == 0) value.data[i] = 0;  // has no sign to change
      const double step = -static_cast<double>(value.data[i]) / direction.data[i];
      if (step > 0) first = std::min(first, step);
    }
    const Meeting<Scalar> zero = simd.first_zero(value.data, direction.data, n, Scalar(2));
    EXPECT_NEAR(zero.step, first, 4 * TestFixture::eps * first);
    ASSERT_EQ(zero.index >= 0, first < 2);
    if (zero.index < 0) return;
    EXPECT_NEAR(
        value.data[zero.index] + zero.step * direction.data[zero.index], 0, 8 * TestFixture::eps);
    EXPECT_EQ(simd.first_zero(value.data, direction.data, n, zero.step).index, zero.index);
    EXPECT_EQ(simd.first_zero(value.data, direction.data, n, zero.step / 2).index, -1);
  });
}

// |c - t e| meets lambda - t: by the definition, atom for atom.
TYPED_TEST(SimdKernels, MeetingsAreWhereCorrelationsReachLambda) {
  using Scalar = TypeParam;
  this->everywhere([](const Kernels<Scalar>& simd, Index n, Index offset) {
    typename TestFixture::Numbers c(n, offset, 15), e(n, 1, 16);
    const Scalar lambda = Scalar(1.01);
    double first = 0.9;
    std::vector<double> step(n);
    for (Index i = 0; i < n; ++i) {
      const double ci = c.data[i], ei = e.data[i];
      step[i] = std::min((lambda - ci) / (1 - ei), (lambda + ci) / (1 + ei));
      first = std::min(first, step[i]);
    }
    const Meeting<Scalar> meeting = simd.first_meeting(c.data, e.data, n, lambda, Scalar(0.9));
    EXPECT_NEAR(meeting.step, first, 16 * TestFixture::eps);
    if (first < 0.9) {
      ASSERT_GE(meeting.index, 0);
      EXPECT_NEAR(step[meeting.index], first, 16 * TestFixture::eps);
    } else {
      EXPECT_EQ(meeting.index, -1);
    }
    std::vector<Scalar> urgency(n);
    simd.urgency(c.data, e.data, n, lambda, 0, urgency.data());
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(urgency[i] * step[i], 1, 32 * TestFixture::eps / (lambda - std::abs(c.data[i])));
    }
  });
}

}  // namespace
}  // namespace nodl::simd
