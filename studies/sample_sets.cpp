#include "sample_sets.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "nodl/error.h"

namespace nodl::study {
namespace {

constexpr double kGrey = 1.0 / 255;
constexpr std::array<const char*, 6> kDomains = {
    "first", "second", "third", "fourth", "fifth", "sixth"};

/// The authors' matrix, known by its size, and the columns they used of it: their cut is not
/// where the last text begins.
constexpr WordDomains kAuthorsWords = {12883, 5500, 11000};

/// As `nodl prepare text` lists them, number, word and first text in a line: words of the last text
/// are biology, those of all before it mathematics.
WordDomains domains_of_list(const std::filesystem::path& list, Index words) {
  std::ifstream file(list);
  if (!file) {
    throw DataError(fmt::format(
        "{}: is missing, and only the authors' matrix of {} words can do without: it tells the "
        "texts that words are from",
        list.string(),
        kAuthorsWords.dimension));
  }
  WordDomains domains = {words, 0, 0};
  std::string line, last;
  for (; std::getline(file, line); ++domains.end) {
    const std::string source = line.substr(line.rfind('\t') + 1);
    if (source != last) domains.biology = domains.end;
    last = source;
  }
  if (domains.end != words) {
    throw DataError(fmt::format(
        "{}: expected {} words, as in the matrix, found {}", list.string(), words, domains.end));
  }
  if (domains.biology == 0) {
    throw DataError(list.string() + ": expected words of two texts, the last of them biology");
  }
  return domains;
}

/// Odd columns train, even ones test, as in the authors' split.
io::RowRange word_columns(const WordDomains& words, const std::string& name, Split split) {
  const Index shift = split == Split::Train ? 0 : 1;
  if (name == "biology") return {words.biology + shift, words.end, 2};
  if (name == "mathematics") return {shift, words.biology, 2};
  throw InvalidOptions("there is no set of words called " + name);
}

SampleSet read_dense(const std::filesystem::path& file) {
  const auto reader = io::open_samples(file.string());
  io::SampleBuffer<float> buffer;
  const Batch<float> batch = reader->read(reader->samples().value_or(0), buffer);
  return {Matrix<float>(batch.matrix()), kGrey};
}

SampleSet read_words(const std::filesystem::path& file, const io::RowRange& columns) {
  const auto reader = io::open_samples(file.string(), {.transpose = true, .rows = columns});
  io::SampleBuffer<double> buffer;
  SparseMatrix<double> all;
  all.rows = reader->dimension();
  while (true) {
    const Batch<double> batch = reader->read(1000, buffer);
    if (batch.samples() == 0) return SampleSet(std::move(all));
    const SparseColumns<double>& columns_read = batch.columns();
    for (Index j = 0; j < batch.samples(); ++j) {
      for (Index p = columns_read.starts[j]; p < columns_read.starts[j + 1]; ++p) {
        all.push(columns_read.indices[p], columns_read.values[p]);
      }
      all.end_column();
    }
  }
}

SyntheticOptions synthetic_options(const Json& stream, std::uint64_t seed) {
  SyntheticOptions options;
  options.kind = enum_named<SyntheticKind>(stream.value("kind", "paper")).value();
  options.seed = seed;
  options.dimension = stream.value("dimension", options.dimension);
  options.nonzeros = stream.value("nonzeros", options.nonzeros);
  options.domains = stream.value("domains", options.domains);
  options.atoms = stream.value("hidden_atoms", options.atoms);
  return options;
}

Index domain_of(const std::string& name) {
  const auto found = std::find(kDomains.begin(), kDomains.end(), name);
  if (found == kDomains.end()) throw InvalidOptions("there is no synthetic domain " + name);
  return found - kDomains.begin();
}

Index most_wanted(const Json& stream, const std::string& name, Split split) {
  if (split == Split::Test) return stream.value("test_count", Index{100});
  Index wanted = 0;
  for (const Json& part : stream.at("train")) {
    for (const Json& set : part.at("sets")) {
      if (set == name)
        wanted = std::max(wanted, part.value("first", Index{0}) + part.at("count").get<Index>());
    }
  }
  return wanted;
}

std::set<std::string> training_sets(const Json& stream) {
  std::set<std::string> names;
  for (const Json& part : stream.at("train")) {
    for (const Json& set : part.at("sets")) names.insert(set.get<std::string>());
  }
  return names;
}

std::string content_hash(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                 &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    XXH3_64bits_update(state.get(), block.data(), static_cast<std::size_t>(file.gcount()));
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

}  // namespace

template <class Scalar>
void SampleSet::copy(Index i, Index at, io::SampleBuffer<Scalar>& buffer) const {
  if (is_sparse_) {
    for (Index p = sparse_.starts[i]; p < sparse_.starts[i + 1]; ++p) {
      buffer.sparse.push(sparse_.indices[p], static_cast<Scalar>(sparse_.values[p]));
    }
    buffer.sparse.end_column();
  } else {
    buffer.dense.col(at) = (dense_.col(i).template cast<double>() * scale_).template cast<Scalar>();
  }
}

template <class Scalar>
Batch<Scalar> SampleSet::batch(Index first, Index count, io::SampleBuffer<Scalar>& buffer) const {
  std::vector<SampleRef> refs;
  for (Index i = 0; i < count; ++i) refs.push_back({this, first + i});
  return gather(refs.data(), count, buffer);
}

template <class Scalar>
Batch<Scalar> gather(const SampleRef* samples, Index count, io::SampleBuffer<Scalar>& buffer) {
  const SampleSet& some = *samples[0].set;
  buffer.sparse.clear();
  buffer.sparse.rows = some.dimension();
  if (!some.is_sparse()) buffer.dense.resize(some.dimension(), count);
  for (Index i = 0; i < count; ++i) samples[i].set->copy(samples[i].index, i, buffer);
  return some.is_sparse() ? Batch<Scalar>::sparse(buffer.sparse)
                          : Batch<Scalar>::dense(buffer.dense);
}

template Batch<double> SampleSet::batch(Index, Index, io::SampleBuffer<double>&) const;
template Batch<float> SampleSet::batch(Index, Index, io::SampleBuffer<float>&) const;
template Batch<double> gather(const SampleRef*, Index, io::SampleBuffer<double>&);
template Batch<float> gather(const SampleRef*, Index, io::SampleBuffer<float>&);

std::filesystem::path DataFolder::image_file(const Json& stream,
                                             const std::string& name,
                                             Split split) const {
  return folder_ / "images" /
         fmt::format("{}_{}_{}.npy",
                     name,
                     split == Split::Train ? "train" : "test",
                     stream.at("side").get<Index>());
}

/// As the authors' matrix comes, or as `nodl prepare text` writes it.
std::filesystem::path DataFolder::words_file() const {
  const std::filesystem::path plain = folder_ / "nlp" / "cooccurrence.mtx";
  return std::filesystem::exists(plain) ? plain : folder_ / "nlp" / "cooccurrence.mtx.gz";
}

std::filesystem::path DataFolder::words_list() const { return folder_ / "nlp" / "vocabulary.tsv"; }

const WordDomains& DataFolder::words() const {
  std::call_once(words_read_, [&] {
    const Index count = io::open_samples(words_file().string(), {.transpose = true})->dimension();
    words_ =
        count == kAuthorsWords.dimension ? kAuthorsWords : domains_of_list(words_list(), count);
  });
  return words_;
}

std::vector<std::filesystem::path> DataFolder::files(const Json& stream) const {
  const std::string source = stream.at("source");
  if (source == "synthetic") return {};
  if (source == "nlp") return {words_file()};
  std::vector<std::filesystem::path> list;
  for (const std::string& name : training_sets(stream)) {
    list.push_back(image_file(stream, name, Split::Train));
  }
  for (const Json& name : stream.at("test")) {
    list.push_back(image_file(stream, name, Split::Test));
  }
  return list;
}

std::vector<std::filesystem::path> DataFolder::missing(const Json& stream) const {
  std::vector<std::filesystem::path> list = files(stream);
  std::erase_if(list, [](const auto& file) { return std::filesystem::exists(file); });
  return list;
}

Index DataFolder::dimension(const Json& stream) const {
  const std::string source = stream.at("source");
  if (source == "nlp") return words().dimension;
  if (source == "synthetic") return synthetic_options(stream, 0).dimension;
  const Index side = stream.at("side");
  return side * side;
}

std::shared_ptr<const SampleSet> DataFolder::set(const Json& stream,
                                                 const std::string& name,
                                                 Split split,
                                                 std::uint64_t seed) const {
  const std::string source = stream.at("source");
  if (source == "synthetic") {
    const Matrix<double> x = synthetic_samples(synthetic_options(stream, seed),
                                               domain_of(name),
                                               split,
                                               0,
                                               most_wanted(stream, name, split));
    return std::make_shared<const SampleSet>(Matrix<float>(x.cast<float>()), 1.0);
  }
  const std::filesystem::path file =
      source == "nlp" ? words_file() : image_file(stream, name, split);
  const std::string id =
      file.string() + (source == "nlp" ? name : "") + (split == Split::Train ? " train" : " test");
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<const SampleSet>& set = sets_[id];
  if (!set) {
    set = std::make_shared<const SampleSet>(
        source == "nlp" ? read_words(file, word_columns(words(), name, split)) : read_dense(file));
    if (set->dimension() != dimension(stream)) {
      throw DataError(fmt::format("{}: expected {} numbers a sample, found {}",
                                  file.string(),
                                  dimension(stream),
                                  set->dimension()));
    }
  }
  return set;
}

Json DataFolder::fingerprint(const Json& stream) const {
  Json list = Json::object();
  const std::scoped_lock lock(mutex_);
  for (const std::filesystem::path& file : files(stream)) {
    std::string& hash = hashes_[file.string()];
    if (hash.empty()) hash = content_hash(file);
    list[file.filename().string()] = hash;
  }
  if (stream.at("source") == "nlp") list["domains"] = {words().biology, words().end};
  return list;
}

}  // namespace nodl::study
