// Long-run health: a learner in a world that never stops changing neither grows nor drifts.
// NODL_SOAK_SECONDS says how long; without it half a minute, for all cases together.
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "heap_meter.h"
#include "nodl/io/model_file.h"
#include "support/streams.h"

namespace nodl {
namespace {

constexpr Index kDimension = 48;
constexpr Index kSamples = 40;
constexpr Index kInitial = 10;
constexpr Index kMostAtoms = 60;
constexpr int kBatchesOfADomain = 4;
constexpr std::uint64_t kPlaces = 5;      // coordinates that domains live in, one after the other
constexpr double kMostGrowth = 64 << 10;  // bytes of the heap; a leak of 8 a batch would show
constexpr double kMostResident = 4096 << 10;  // bytes; the allocator has its own ways

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsFreedMemory = true;  // for a while, to notice who uses it
#else
constexpr bool kKeepsFreedMemory = false;
#endif

double soak_seconds() {
  const char* given = std::getenv("NODL_SOAK_SECONDS");
  return given == nullptr ? 30 : std::atof(given);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Bytes of A, B, D and the records.
template <class Scalar>
double model_bytes(const Model<Scalar>& model) {
  const auto k = static_cast<double>(model.dictionary.size());
  const auto stored = static_cast<double>(model.dictionary.sparse_block().nonzeros()) *
                          (sizeof(Scalar) + sizeof(RowIndex)) +
                      static_cast<double>(model.dictionary.dense_block().size()) * sizeof(Scalar);
  return 8 * k * (k + static_cast<double>(kDimension)) + stored + k * sizeof(AtomRecord);
}

template <class Scalar>
class Soak {
 public:
  Soak(const Options& options, double seconds, bool sparse_samples)
      : learner_(kDimension, options, 2), seconds_(seconds), sparse_samples_(sparse_samples) {
    file_ = (std::filesystem::temp_directory_path() / ("nodl-soak-" + std::to_string(::getpid())))
                .string();
  }
  ~Soak() { std::filesystem::remove(file_); }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;

  void run() {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (elapsed() < seconds_ || batch_ < 200) {
      learn();
      check_counters();
      const bool second_half = elapsed() > seconds_ / 2 && batch_ > 100;
      if (batch_ % 25 == 0) {
        check_numbers();
        check_checkpoint();
        watch_memory(second_half);
      }
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_LE(heap_[1], heap_[0] + kMostGrowth) << batch_ << " batches";
    if (!kKeepsFreedMemory) {
      EXPECT_LE(resident_[1], resident_[0] + kMostResident) << batch_ << " batches";
    }
    std::cout << batch_ << " batches, " << births_ << " births, " << deaths_ << " deaths, heap "
              << heap_[0] << " -> " << heap_[1] << ", resident " << resident_[0] << " -> "
              << resident_[1] << "\n";
  }

 private:
  const Model<Scalar>& model() const { return learner_.model(); }

  void learn() {
    const auto domain =
        static_cast<std::uint64_t>(batch_ / kBatchesOfADomain);  // never seen before
    ++batch_;
    const auto seed = static_cast<std::uint64_t>(batch_) * 2;
    const Matrix<Scalar> X = test::latent_samples(kDimension,
                                                  static_cast<Index>(domain % kPlaces) * 8,
                                                  16,
                                                  kSamples,
                                                  domain,
                                                  10000 + seed)
                                 .template cast<Scalar>();
    const SparseMatrix<Scalar> sparse =
        sparse_samples_ ? test::to_sparse<Scalar>(X) : SparseMatrix<Scalar>();
    summary_ = learner_.learn_batch(sparse_samples_ ? Batch<Scalar>::sparse(sparse)
                                                    : Batch<Scalar>::dense(X));
  }

  void check_counters() {
    births_ += static_cast<std::int64_t>(summary_.born.size());
    deaths_ += static_cast<std::int64_t>(summary_.died.size());
    uses_ += std::llround(summary_.code_nonzeros * static_cast<double>(kSamples));
    for (const AtomRecord& record : summary_.died) uses_of_the_dead_ += record.uses;
    for (const std::int64_t id : summary_.born) EXPECT_GT(id, newest_id_);
    if (!summary_.born.empty()) newest_id_ = summary_.born.back();

    const Index k = model().dictionary.size();
    EXPECT_EQ(k, kInitial + births_ - deaths_);
    EXPECT_LE(k, kMostAtoms);
    const Progress& progress = model().progress;
    EXPECT_EQ(progress.batches, batch_);
    EXPECT_EQ(progress.samples, batch_ * kSamples);
    EXPECT_EQ(progress.births, births_);
    EXPECT_EQ(progress.deaths, deaths_);
    EXPECT_EQ(progress.next_id, kInitial + births_);
    std::set<std::int64_t> ids;
    std::int64_t uses_of_the_living = 0;
    for (const AtomRecord& record : model().dictionary.records()) {
      ids.insert(record.id);
      uses_of_the_living += record.uses;
      EXPECT_LT(record.id, progress.next_id);
      EXPECT_LE(record.birth_batch, batch_);
      EXPECT_LE(record.last_use, batch_);
    }
    EXPECT_EQ(static_cast<Index>(ids.size()), k);
    EXPECT_EQ(uses_of_the_living + uses_of_the_dead_, uses_);
  }

  void check_numbers() const {
    const Matrix<double>& A = model().memory.A();
    ASSERT_TRUE(A.allFinite() && model().memory.B().allFinite());
    EXPECT_TRUE(A == A.transpose());
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(A, Eigen::EigenvaluesOnly);
    // Each of the products that were summed up may be wrong by half a unit in the last place of a
    // sum that is at most the trace.
    const double rounding = std::sqrt(static_cast<double>(batch_ * kSamples));
    EXPECT_GE(eigen.eigenvalues().minCoeff(), -rounding * test::epsilon<double>() * A.trace());
    const Matrix<Scalar> D = model().dictionary.to_dense();
    ASSERT_TRUE(D.allFinite());
    EXPECT_LE(D.colwise().norm().maxCoeff(), 1 + 8 * test::epsilon<Scalar>());
  }

  void check_checkpoint() const {
    io::save_model(model(), file_);
    EXPECT_TRUE(test::same_bits(std::get<Model<Scalar>>(io::load_model(file_)), model()));
  }

  /// What is held beyond the model itself, at most, in each half of the run.
  void watch_memory(bool second_half) {
    const double heap = static_cast<double>(bench::HeapMeter::now()) - model_bytes(model());
    heap_[second_half] = std::max(heap_[second_half], heap);
    resident_[second_half] = std::max(resident_[second_half], resident_bytes());
  }

  Learner<Scalar> learner_;
  double seconds_;
  bool sparse_samples_;
  std::string file_;
  BatchSummary summary_;
  std::int64_t batch_ = 0, births_ = 0, deaths_ = 0, uses_ = 0, uses_of_the_dead_ = 0;
  std::int64_t newest_id_ = kInitial - 1;
  std::array<double, 2> heap_{}, resident_{};
};

Options soak_options() {
  Options options;
  options.atoms = kInitial;
  options.batch_size = kSamples;
  options.coding.code_nonzeros = 4;
  options.update.atom_nonzeros = 6;
  options.birth.max_births = 12;
  options.birth.max_atoms = kMostAtoms;
  return options;
}

TEST(Soak, NodlInAChangingWorld) { Soak<double>(soak_options(), soak_seconds() / 3, false).run(); }

TEST(Soak, ForgettingInSinglePrecisionOnSparseSamples) {
  Options options = soak_options();
  options.memory = {MemoryKind::HalfLife, 2000};
  options.update.atom_nonzeros = kDimension;
  Soak<float>(options, soak_seconds() / 3, true).run();
}

TEST(Soak, BirthsAndDeathsInEveryBatch) {
  Options options = soak_options();
  options.birth.births = Births::Always;
  options.update.group_penalty = 0.3;
  Soak<double>(options, soak_seconds() / 3, false).run();
}

}  // namespace
}  // namespace nodl
