#include "execute.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <vector>

#include "nodl/error.h"
#include "nodl/nodl.h"
#include "nodl/random.h"
#include "products.h"
#include "scikit_learn.h"

namespace nodl::study {
namespace {

constexpr Index kTestBlock = 500;  // samples coded at a time
constexpr Index kMostRanked = 2000;

/// One part of the stream, in the order in which it is learned.
struct Part {
  std::vector<std::shared_ptr<const SampleSet>> sets;
  std::vector<SampleRef> samples;
};

/// Several sets are mixed, in an order drawn from the seed; one set keeps its order.
Part open_part(const Json& json,
               std::size_t number,
               const PlannedRun& run,
               const DataFolder& data) {
  Part part;
  for (const Json& name : json.at("sets")) {
    part.sets.push_back(data.set(run.stream, name, Split::Train, run.seed));
    for (Index i = 0; i < part.sets.back()->samples(); ++i) {
      part.samples.push_back({part.sets.back().get(), i});
    }
  }
  if (part.sets.size() > 1) {
    Random random(run.seed, Purpose::ChooseSamples, number);
    for (std::size_t i = part.samples.size(); i > 1; --i) {
      std::swap(part.samples[i - 1], part.samples[random.below(i)]);
    }
  }
  const Index first = json.value("first", Index{0});
  const Index count = json.at("count");
  const Index there = static_cast<Index>(part.samples.size());
  if (first + count > there) {
    throw DataError("a study needs " + std::to_string(first + count) + " samples of " +
                    json.at("sets").dump() + ", there are " + std::to_string(there));
  }
  part.samples.erase(part.samples.begin() + first + count, part.samples.end());
  part.samples.erase(part.samples.begin(), part.samples.begin() + first);
  return part;
}

struct Deaths {
  double of_initial = 0;
  double of_newborn = 0;
};

/// Feeds samples in batches, the last one as the options say.
template <class Scalar>
void learn(Learner<Scalar>& learner, const std::vector<SampleRef>& samples, Deaths& deaths) {
  const Options& options = learner.model().options;
  const Index total = static_cast<Index>(samples.size());
  io::SampleBuffer<Scalar> buffer;
  for (Index i = 0; i < total; i += options.batch_size) {
    const Index count = std::min(options.batch_size, total - i);
    if (count < options.batch_size && options.last_batch == LastBatch::Drop) return;
    const BatchSummary summary = learner.learn_batch(gather(&samples[i], count, buffer));
    for (const AtomRecord& atom : summary.died) {
      (atom.birth_batch == 0 ? deaths.of_initial : deaths.of_newborn) += 1;
    }
  }
}

/// All at once, for those who do not stream.
Matrix<double> dense_matrix(const std::vector<SampleRef>& samples) {
  io::SampleBuffer<double> buffer;
  gather(samples.data(), static_cast<Index>(samples.size()), buffer);
  return std::move(buffer.dense);
}

/// A model with the dictionary that scikit-learn learned from the samples.
Model<double> model_by_scikit_learn(const PlannedRun& run, const std::vector<SampleRef>& samples) {
  const Options& options = run.options;
  const Matrix<double> atoms = scikit_learn_atoms(
      run.scikit_learn, dense_matrix(samples), options.atoms, options.batch_size, options.seed);
  Model<double> model;
  model.options = resolve(options, atoms.rows());
  model.dictionary = Dictionary<double>(atoms.rows());
  model.dictionary.append(atoms, std::vector<AtomRecord>(static_cast<std::size_t>(atoms.cols())));
  model.memory = Memory(atoms.rows(), atoms.cols());
  model.initialised = true;
  return model;
}

/// Numbers that a dictionary holds.
template <class Scalar>
Index nonzeros_of(const Dictionary<Scalar>& dictionary) {
  return dictionary.sparse_block().nonzeros() +
         static_cast<Index>((dictionary.dense_block().array() != Scalar(0)).count());
}

/// Means over a test set under the names that charts and claims use.
template <class Scalar>
void test(Learner<Scalar>& learner,
          const PlannedRun& run,
          const DataFolder& data,
          const std::string& suffix,
          std::map<std::string, double>& numbers) {
  const CodingDictionary<Scalar> dictionary(learner.model().dictionary,
                                            learner.model().options.coding.atom_norm);
  // To rank ten thousand pixels takes longer than to code them.
  const Correlations wanted = dictionary.dimension() <= kMostRanked
                                  ? Correlations::PearsonAndSpearman
                                  : Correlations::Pearson;
  for (const Json& json : run.stream.at("test")) {
    const std::string name = json;
    const auto set = data.set(run.stream, name, Split::Test, run.seed);
    const Index samples = std::min(set->samples(), run.stream.value("test_count", Index{1} << 40));
    Evaluator evaluator;
    io::SampleBuffer<Scalar> buffer;
    double squares = 0;
    for (Index first = 0; first < samples; first += kTestBlock) {
      const Batch<Scalar> batch = set->batch(first, std::min(kTestBlock, samples - first), buffer);
      const Codes<Scalar> codes = learner.encode(batch);
      const Scores scores = score(dictionary, batch, codes, wanted, learner.pool());
      for (const double p : scores.pearson) squares += p * p;
      evaluator.add(scores, batch.dimension(), codes.columns.nonzeros());
    }
    const Evaluation result = evaluator.result();
    const double n = static_cast<double>(result.samples);
    const std::string end = "." + name + suffix;
    numbers["pearson" + end] = result.pearson;
    numbers["pearson_sd" + end] =
        std::sqrt(std::max(0.0, squares / n - result.pearson * result.pearson));
    if (wanted == Correlations::PearsonAndSpearman) numbers["spearman" + end] = result.spearman;
    numbers["mse" + end] = result.mse;
    numbers["explained_variance" + end] = result.explained_variance;
    numbers["code_nonzeros" + end] = result.code_nonzeros;
  }
}

/// Of this thread alone, so that a busy machine does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Mean over the test sets that a part of the stream drew from, under one name for all orders.
void add_mean(const Json& part, const std::string& name, std::map<std::string, double>& numbers) {
  double sum = 0;
  for (const Json& set : part.at("sets")) {
    const auto found = numbers.find("pearson." + set.get<std::string>());
    if (found == numbers.end()) return;
    sum += found->second;
  }
  numbers[name] = sum / static_cast<double>(part.at("sets").size());
}

/// Learns the parts of the stream one after the other; with a course, tests after each.
template <class Scalar>
void learn_stream(Learner<Scalar>& learner,
                  const PlannedRun& run,
                  const DataFolder& data,
                  RunResult& result) {
  const bool course = run.stream.value("test_after_each_part", false);
  Deaths deaths;
  std::vector<SampleRef> waiting;  // Joined: a batch may span two parts
  std::vector<Part> parts;         // keeps the sets alive
  const Json& train = run.stream.at("train");
  for (std::size_t i = 0; i < train.size(); ++i) {
    parts.push_back(open_part(train[i], i, run, data));
    waiting.insert(waiting.end(), parts.back().samples.begin(), parts.back().samples.end());
    if (run.options.inputs == Inputs::Joined && !course && i + 1 < train.size()) continue;
    if (run.options.inputs == Inputs::Separate) learner.begin_call();
    learn(learner, waiting, deaths);
    waiting.clear();
    if (!course) continue;
    const std::string after = ".after" + std::to_string(i + 1);
    test(learner, run, data, after, result.numbers);
    result.numbers["alive" + after] = static_cast<double>(learner.model().dictionary.alive());
  }
  result.numbers["deaths_of_initial"] = deaths.of_initial;
  result.numbers["deaths_of_newborn"] = deaths.of_newborn;
}

/// What has been learned, tested and counted.
template <class Scalar>
void examine(Learner<Scalar>& learner,
             const PlannedRun& run,
             const DataFolder& data,
             RunResult& result) {
  const Dictionary<Scalar>& dictionary = learner.model().dictionary;
  test(learner, run, data, "", result.numbers);
  add_mean(run.stream.at("train").front(), "pearson.old", result.numbers);
  add_mean(run.stream.at("train").back(), "pearson.new", result.numbers);
  result.numbers["sweep"] = run.value;
  result.numbers["initial"] = static_cast<double>(run.options.atoms);
  result.numbers["atoms"] = static_cast<double>(dictionary.size());
  result.numbers["alive"] = static_cast<double>(dictionary.alive());
  result.numbers["dead"] = static_cast<double>(dictionary.size() - dictionary.alive());
  result.numbers["dictionary_numbers"] = static_cast<double>(nonzeros_of(dictionary));
  result.numbers["births"] = static_cast<double>(learner.model().progress.births);
}

template <class Scalar>
RunResult execute_in(const PlannedRun& run, const DataFolder& data) {
  const double start = thread_seconds();
  RunResult result;
  Learner<Scalar> learner(data.dimension(run.stream), run.options);
  learn_stream(learner, run, data, result);
  examine(learner, run, data, result);
  result.numbers["cpu_seconds"] = thread_seconds() - start;
  add_products(learner, run, data, result);
  return result;
}

RunResult execute_by_scikit_learn(const PlannedRun& run, const DataFolder& data) {
  std::vector<Part> parts;
  std::vector<SampleRef> samples;
  const Json& train = run.stream.at("train");
  for (std::size_t i = 0; i < train.size(); ++i) {
    parts.push_back(open_part(train[i], i, run, data));
    samples.insert(samples.end(), parts.back().samples.begin(), parts.back().samples.end());
  }
  RunResult result;
  Learner<double> learner(model_by_scikit_learn(run, samples));
  examine(learner, run, data, result);
  return result;
}

}  // namespace

RunResult execute(const PlannedRun& run, const DataFolder& data) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result = !run.scikit_learn.empty()             ? execute_by_scikit_learn(run, data)
                     : run.precision == Precision::Float32 ? execute_in<float>(run, data)
                                                           : execute_in<double>(run, data);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace nodl::study
