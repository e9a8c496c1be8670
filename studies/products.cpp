#include "products.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>

#include "classification.h"
#include "nodl/coding_dictionary.h"
#include "nodl/error.h"

namespace nodl::study {
namespace {

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (i + 1 < bytes.size()) three |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (i + 2 < bytes.size()) three |= bytes[i + 2];
    text += kDigits[three >> 18 & 63];
    text += kDigits[three >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return text;
}

/// At most `side` rows and columns, each the mean of a block.
Matrix<double> reduced(const Matrix<double>& A, Index side) {
  const Index n = A.rows();
  if (n <= side) return A;
  Matrix<double> small(side, side);
  for (Index j = 0; j < side; ++j) {
    for (Index i = 0; i < side; ++i) {
      const Index i0 = i * n / side, i1 = (i + 1) * n / side;
      const Index j0 = j * n / side, j1 = (j + 1) * n / side;
      small(i, j) = A.block(i0, j0, i1 - i0, j1 - j0).mean();
    }
  }
  return small;
}

/// Mean of |a_jk| / a_jj over j in `from`, k != j in `to`: how strongly atoms are tied (Eq. 3).
double coupling(const Matrix<double>& A,
                const std::vector<Index>& from,
                const std::vector<Index>& to) {
  double sum = 0;
  double pairs = 0;
  for (const Index j : from) {
    for (const Index k : to) {
      if (j == k) continue;
      sum += std::abs(A(j, k)) / A(j, j);
      pairs += 1;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

/// Largest over smallest eigenvalue of a block; rounding keeps it finite.
double condition(const Matrix<double>& A, const std::vector<Index>& atoms) {
  const Index n = static_cast<Index>(atoms.size());
  if (n == 0) return 0;
  Matrix<double> block(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      block(i, j) = A(atoms[static_cast<std::size_t>(i)], atoms[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(block, Eigen::EigenvaluesOnly);
  const double largest = solver.eigenvalues()(n - 1);
  return largest / std::max(solver.eigenvalues()(0), 1e-16 * largest);
}

template <class Scalar>
Json supports_picture(const Dictionary<Scalar>& dictionary) {
  Json atoms = Json::array();
  std::vector<Scalar> atom(static_cast<std::size_t>(dictionary.dimension()));
  for (Index j = 0; j < dictionary.size(); ++j) {
    dictionary.copy_atom(j, atom.data());
    Json list = Json::array();
    for (std::size_t i = 0; i < atom.size(); ++i) {
      if (atom[i] != 0) list.push_back(i);
    }
    atoms.push_back(std::move(list));
  }
  return {{"dimension", dictionary.dimension()}, {"atoms", std::move(atoms)}};
}

Json memory_picture(const Matrix<double>& A, const std::vector<AtomRecord>& records) {
  constexpr Index kSide = 160;
  const Matrix<double> strength = reduced(A.cwiseAbs(), kSide).cwiseSqrt();
  Json picture = raster(strength, strength.maxCoeff(), 0);
  picture["atoms"] = A.rows();
  picture["initial"] = std::count_if(
      records.begin(), records.end(), [](const AtomRecord& r) { return r.birth_batch == 0; });
  return picture;
}

/// Which coordinates samples of each training set use.
Json data_picture(const PlannedRun& run, const DataFolder& data, const Json& product) {
  Json sets = Json::array();
  for (const Json& part : run.stream.at("train")) {
    for (const Json& name : part.at("sets")) {
      const auto set = data.set(run.stream, name, Split::Train, run.seed);
      const Index count = std::min(product.at("count").get<Index>(), set->samples());
      io::SampleBuffer<double> buffer;
      Json samples = Json::array();
      for (Index i = 0; i < count; ++i) {
        const Batch<double> batch = set->batch(i * set->samples() / count, 1, buffer);
        Json list = Json::array();
        if (batch.is_sparse()) {
          for (const RowIndex row : buffer.sparse.indices) list.push_back(row);
        } else {
          for (Index row = 0; row < batch.dimension(); ++row) {
            if (batch.sample(0)[row] != 0) list.push_back(row);
          }
        }
        samples.push_back(std::move(list));
      }
      sets.push_back({{"name", name}, {"samples", std::move(samples)}});
    }
  }
  return {{"dimension", data.dimension(run.stream)}, {"sets", std::move(sets)}};
}

/// Pictures of each test set, chosen evenly.
Json examples(const PlannedRun& run, const DataFolder& data, const Json& product) {
  const Index count = product.at("count");
  const Index side = run.stream.at("side");
  Json list = Json::array();
  for (const Json& name : run.stream.at("test")) {
    const auto set = data.set(run.stream, name, Split::Test, run.seed);
    io::SampleBuffer<double> buffer;
    for (Index i = 0; i < count; ++i) {
      const Batch<double> batch = set->batch(i * set->samples() / count, 1, buffer);
      const Vector<double> x = batch.matrix().col(0);
      list.push_back({{"set", name}, {"raster", raster(x.reshaped(side, side).transpose(), 0, 1)}});
    }
  }
  return {{"columns", count}, {"list", std::move(list)}};
}

/// Test images beside what the codes make of them, chosen evenly over the set.
template <class Scalar>
Json reconstructions(Learner<Scalar>& learner,
                     const PlannedRun& run,
                     const DataFolder& data,
                     const Json& product) {
  const Index count = product.at("count");
  const auto set = data.set(run.stream, product.at("set"), Split::Test, run.seed);
  const CodingDictionary<Scalar> dictionary(learner.model().dictionary,
                                            learner.model().options.coding.atom_norm);
  const Index side = run.stream.at("side");
  Json list = Json::array();
  io::SampleBuffer<Scalar> buffer;
  for (Index i = 0; i < count; ++i) {
    const Batch<Scalar> batch = set->batch(i * set->samples() / count, 1, buffer);
    const Codes<Scalar> codes = learner.encode(batch);
    const Vector<Scalar> x = batch.matrix().col(0);
    Vector<Scalar> residual(x.size());
    const Scalar mean =
        learner.model().options.coding.atom_norm == AtomNorm::Centered ? x.mean() : Scalar(0);
    const Vector<Scalar> centred = x.array() - mean;
    dictionary.residual(codes.columns.nonzeros(),
                        codes.columns.indices.data(),
                        codes.columns.values.data(),
                        centred.data(),
                        residual.data());
    const Vector<double> original = x.template cast<double>();
    const Vector<double> y = (x - residual).template cast<double>();
    // Stored row by row: the transpose of Eigen's layout.
    list.push_back({{"original", raster(original.reshaped(side, side).transpose(), 0, 1)},
                    {"reconstructed", raster(y.reshaped(side, side).transpose(), 0, 1)}});
  }
  return list;
}

/// Codes of two test sets as features (Sec. 4.1).
template <class Scalar>
std::map<std::string, double> classify(Learner<Scalar>& learner,
                                       const PlannedRun& run,
                                       const DataFolder& data,
                                       const Json& product) {
  constexpr Index kBlock = 500;
  std::vector<std::shared_ptr<const SampleSet>> sets;
  Index total = 0;
  const Index most = run.stream.value("test_count", Index{1} << 40);
  for (const Json& name : product.at("sets")) {
    sets.push_back(data.set(run.stream, name, Split::Test, run.seed));
    total += std::min(most, sets.back()->samples());
  }
  Labelled labelled{Matrix<double>::Zero(total, learner.model().dictionary.size()), {}};
  io::SampleBuffer<Scalar> buffer;
  Index row = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Index samples = std::min(most, sets[s]->samples());
    for (Index first = 0; first < samples; first += kBlock) {
      const Index count = std::min(kBlock, samples - first);
      const Codes<Scalar> codes = learner.encode(sets[s]->batch(first, count, buffer));
      for (Index i = 0; i < count; ++i, ++row) {
        for (Index p = codes.columns.starts[i]; p < codes.columns.starts[i + 1]; ++p) {
          labelled.features(row, codes.columns.indices[p]) = codes.columns.values[p];
        }
        labelled.labels.push_back(s == 0 ? -1 : 1);
      }
    }
  }
  return classification_errors(
      labelled, product.at("features").get<std::vector<Index>>(), run.seed);
}

}  // namespace

std::map<std::string, double> structure_of_memory(const Matrix<double>& A,
                                                  const std::vector<AtomRecord>& records) {
  std::vector<Index> all, initial, newborn;
  for (Index j = 0; j < A.rows(); ++j) {
    if (A(j, j) <= 0) continue;  // never used: tied to nobody
    all.push_back(j);
    (records[static_cast<std::size_t>(j)].birth_batch == 0 ? initial : newborn).push_back(j);
  }
  const double total = A.cwiseAbs().sum();
  const double diagonal = A.diagonal().cwiseAbs().sum();
  std::map<std::string, double> numbers = {
      {"A.off_diagonal_share", total > 0 ? 1 - diagonal / total : 0},
      {"A.condition_log10", std::log10(std::max(1.0, condition(A, all)))},
      {"A.coupling", coupling(A, all, all)}};
  if (!newborn.empty() && !initial.empty()) {
    numbers["A.condition_log10_old"] = std::log10(std::max(1.0, condition(A, initial)));
    numbers["A.condition_log10_new"] = std::log10(std::max(1.0, condition(A, newborn)));
    numbers["A.coupling_old"] = coupling(A, initial, initial);
    numbers["A.coupling_new"] = coupling(A, newborn, newborn);
    // Of the old to the new: what an old atom's update would have to respect.
    numbers["A.coupling_across"] = coupling(A, initial, newborn);
  }
  return numbers;
}

Json raster(const Matrix<double>& values, double black, double white) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(values.size()));
  const double range = white == black ? 1 : white - black;
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      const double level = std::clamp((values(i, j) - black) / range, 0.0, 1.0);
      bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * level)));
    }
  }
  return {{"width", values.cols()}, {"height", values.rows()}, {"grey", base64(bytes)}};
}

template <class Scalar>
void add_products(Learner<Scalar>& learner,
                  const PlannedRun& run,
                  const DataFolder& data,
                  RunResult& result) {
  const Model<Scalar>& model = learner.model();
  for (const auto& [name, product] : run.products.items()) {
    if (name == "supports") {
      result.pictures[name] = supports_picture(model.dictionary);
    } else if (name == "memory") {
      result.pictures[name] = memory_picture(model.memory.A(), model.dictionary.records());
      result.numbers.merge(structure_of_memory(model.memory.A(), model.dictionary.records()));
    } else if (name == "reconstructions") {
      result.pictures[name] = reconstructions(learner, run, data, product);
    } else if (name == "classification") {
      result.numbers.merge(classify(learner, run, data, product));
    } else if (name == "data") {
      result.pictures[name] = data_picture(run, data, product);
    } else if (name == "examples") {
      result.pictures[name] = examples(run, data, product);
    } else {
      throw InvalidOptions("there is no product called " + name);
    }
  }
}

template void add_products(Learner<double>&, const PlannedRun&, const DataFolder&, RunResult&);
template void add_products(Learner<float>&, const PlannedRun&, const DataFolder&, RunResult&);

}  // namespace nodl::study
