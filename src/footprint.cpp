#include "nodl/footprint.h"

#include <algorithm>
#include <limits>
#include <string>

#include "nodl/error.h"

namespace nodl {

std::int64_t learning_bytes(const LearningSize& size, const Options& options, Precision precision) {
  // In double, which does not overflow, whatever the sizes in a file or on a command line are.
  const auto number = [](Index count) { return static_cast<double>(count); };
  const double s = precision == Precision::Float64 ? sizeof(double) : sizeof(float);
  const double m = number(size.dimension), n = number(size.samples);
  const double k_s = number(size.sparse_atoms), k_d = number(size.dense_atoms), k = k_s + k_d;
  const double beta_d = number(std::min(options.update.atom_nonzeros, size.dimension));
  const double beta_c = std::min(k, number(options.coding.code_nonzeros.value_or(size.dimension)));

  const double A = 8 * k * k, B = 8 * m * k;
  const double D = (s + 4) * beta_d * k_s + s * m * k_d;
  // The Gram matrix is as large as A, and so is the old A while that for newborns is made.
  const double gram = 8 * k * k;
  // Atoms normalised, and both in the other precision; sparse ones, those of the update as well.
  const double atoms = 48 * beta_d * k_s + (s + 16) * m * k_d;
  const double codes = 56 * beta_c * n + 16 * k * n;
  const double samples = (s + 12) * number(size.batch_numbers);
  const double panels = 1024 * (m + k) + 8 * k * beta_c;
  const double total = 2 * (A + B + D) + gram + atoms + codes + samples + panels;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return total < static_cast<double>(kMost) ? static_cast<std::int64_t>(total) : kMost;
}

Index affordable_births(Index wanted,
                        const LearningSize& before,
                        const Options& options,
                        Precision precision) {
  const auto fits = [&](Index births) {
    LearningSize after = before;
    after.dense_atoms += births;
    return learning_bytes(after, options, precision) <= options.birth.memory_limit;
  };
  if (options.birth.memory_limit == 0 || fits(wanted)) return wanted;
  Index enough = 0, too_many = wanted;  // more atoms always take more
  while (too_many - enough > 1) {
    const Index middle = enough + (too_many - enough) / 2;
    (fits(middle) ? enough : too_many) = middle;
  }
  return enough;
}

void require_memory(const LearningSize& size, const Options& options, Precision precision) {
  const std::int64_t limit = options.birth.memory_limit;
  const std::int64_t needed = learning_bytes(size, options, precision);
  if (limit == 0 || needed <= limit) return;
  throw InvalidOptions("memory_limit is " + std::to_string(limit) + " bytes, must be at least " +
                       std::to_string(needed) + " for " +
                       std::to_string(size.sparse_atoms + size.dense_atoms) + " atoms of " +
                       std::to_string(size.dimension) + " numbers and batches of " +
                       std::to_string(size.samples));
}

}  // namespace nodl
