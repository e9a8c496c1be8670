#include "nodl/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "nodl/error.h"
#include "nodl/random.h"

namespace nodl {
namespace {

void require(bool holds, const std::string& name, Index value, const std::string& bound) {
  if (!holds) {
    throw InvalidOptions(name + " is " + std::to_string(value) + ", must be " + bound);
  }
}

struct Range {
  Index start;
  Index size;
};

Range BadName(const SyntheticOptions& o, Index domain) {
  const Index start = o.dimension * domain / o.domains;
  return {start, o.dimension * (domain + 1) / o.domains - start};
}

Index entries_per_atom(const SyntheticOptions& o) {
  return std::max<Index>(1, (o.nonzeros + o.atoms_per_sample / 2) / o.atoms_per_sample);
}

void check(const SyntheticOptions& o, Index domain) {
  require(o.domains >= 1, "domains", o.domains, "at least 1");
  require(domain >= 0 && domain < o.domains, "domain", domain, "below domains");
  require(o.dimension >= o.domains, "dimension", o.dimension, "at least one for each domain");
  require(o.dimension <= (Index{1} << 31) - 1, "dimension", o.dimension, "below 2^31");
  const Index room = o.dimension / o.domains;
  require(o.nonzeros >= 1 && o.nonzeros <= room,
          "nonzeros",
          o.nonzeros,
          "between 1 and a domain's coordinates, " + std::to_string(room));
  require(o.atoms >= 1, "atoms", o.atoms, "at least 1");
  require(o.atoms_per_sample >= 1 && o.atoms_per_sample <= o.atoms,
          "atoms_per_sample",
          o.atoms_per_sample,
          "between 1 and atoms");
}

// `count` of the numbers 0, ..., size - 1, uniform, without replacement: the start of a shuffle.
std::vector<Index> choose(Index size, Index count, Random& random) {
  std::vector<Index> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (Index i = 0; i < count; ++i) {
    const Index j = i + static_cast<Index>(random.below(static_cast<std::uint64_t>(size - i)));
    std::swap(numbers[i], numbers[j]);
  }
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

}  // namespace

Matrix<double> synthetic_atoms(const SyntheticOptions& o, Index domain) {
  check(o, domain);
  const Range range = BadName(o, domain);
  Matrix<double> atoms = Matrix<double>::Zero(o.dimension, o.atoms);
  for (Index j = 0; j < o.atoms; ++j) {
    Random random(o.seed,
                  Purpose::SyntheticAtom,
                  static_cast<std::uint64_t>(j),
                  static_cast<std::uint32_t>(domain));
    for (const Index i : choose(range.size, entries_per_atom(o), random)) {
      atoms(range.start + i, j) = 0.5 + random.uniform();
    }
    atoms.col(j).normalize();
  }
  return atoms;
}

Matrix<double> synthetic_samples(
    const SyntheticOptions& o, Index domain, Split split, Index first, Index count) {
  check(o, domain);
  require(first >= 0, "first", first, "at least 0");
  require(count >= 0, "count", count, "at least 0");
  const Range range = BadName(o, domain);
  Matrix<double> atoms;
  if (o.kind == SyntheticKind::Latent) atoms = synthetic_atoms(o, domain);

  Matrix<double> samples = Matrix<double>::Zero(o.dimension, count);
  for (Index n = 0; n < count; ++n) {
    const auto stream = static_cast<std::uint32_t>(2 * domain + (split == Split::Test ? 1 : 0));
    Random random(o.seed, Purpose::SyntheticData, static_cast<std::uint64_t>(first + n), stream);
    auto own = samples.col(n).segment(range.start, range.size);
    switch (o.kind) {
      case SyntheticKind::Paper:
        for (const Index i : choose(range.size, o.nonzeros, random)) own[i] = 1;
        break;
      case SyntheticKind::Latent:
        for (const Index j : choose(o.atoms, o.atoms_per_sample, random)) {
          own += (0.5 + random.uniform()) * atoms.col(j).segment(range.start, range.size);
        }
        for (Index i = 0; i < range.size; ++i) own[i] += o.noise * random.normal();
        break;
    }
  }
  return samples;
}

}  // namespace nodl
