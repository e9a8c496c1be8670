// Seeded samples of domains whose supports do not overlap (Sec. 4.2 of the paper).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "nodl/options.h"
#include "nodl/types.h"

namespace nodl {

/// Paper: every sample is ones at random places; there is nothing to learn but the places.
/// Latent: every domain has a dictionary of its own, and a sample combines a few of its atoms.
enum class SyntheticKind { Paper, Latent };
enum class Split { Train, Test };

template <>
struct EnumNames<SyntheticKind> {
  static constexpr std::array<std::pair<SyntheticKind, std::string_view>, 2> table = {
      {{SyntheticKind::Paper, "paper"}, {SyntheticKind::Latent, "latent"}}};
};

struct SyntheticOptions {
  SyntheticKind kind = SyntheticKind::Paper;
  std::uint64_t seed = 0;
  Index dimension = 1024;  // m
  Index nonzeros = 51;     // of a sample; latent: before noise, where its atoms do not overlap
  Index domains = 2;       // domain d owns coordinates m d / domains, ..., m (d + 1) / domains - 1
  // Latent only.
  Index atoms = 40;            // of a domain's hidden dictionary
  Index atoms_per_sample = 5;  // so that an atom has nonzeros / atoms_per_sample entries
  double noise = 0.02;         // standard deviation, on all coordinates of the domain

  bool operator==(const SyntheticOptions&) const = default;
};

/// Samples first, ..., first + count - 1 of a domain, one a column. A sample depends on the
/// options, the domain, the split and its number alone. Throws InvalidOptions.
Matrix<double> synthetic_samples(
    const SyntheticOptions& options, Index domain, Split split, Index first, Index count);

/// The hidden dictionary of a domain (SyntheticKind::Latent), one atom a column, of unit norm.
Matrix<double> synthetic_atoms(const SyntheticOptions& options, Index domain);

}  // namespace nodl
