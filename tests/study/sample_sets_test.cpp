// Where the two domains of words lie in a matrix that is not the authors'.
#include "studies/sample_sets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nodl/error.h"

namespace nodl::study {
namespace {

const Json kStream = {{"source", "nlp"}};

/// Seven words, each with nothing but itself; the number of word i is i, so that it can be told.
class Words : public testing::Test {
 protected:
  Words()
      : folder_(std::filesystem::temp_directory_path() /
                ("nodl_words_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "nlp");
    std::ofstream matrix(folder_ / "nlp" / "cooccurrence.mtx");
    matrix << "%%MatrixMarket matrix coordinate integer general\n7 7 7\n";
    for (int i = 1; i <= 7; ++i) matrix << i << ' ' << i << ' ' << i << '\n';
  }
  ~Words() override { std::filesystem::remove_all(folder_); }

  void write_list(const std::vector<std::string>& sources) const {
    std::ofstream list(folder_ / "nlp" / "vocabulary.tsv");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      list << i + 1 << "\tword\t" << sources[i] << '\n';
    }
  }
  static std::vector<double> samples(const DataFolder& data, const char* name, Split split) {
    const auto set = data.set(kStream, name, split, 1);
    io::SampleBuffer<double> buffer;
    const Batch<double> batch = set->batch(0, set->samples(), buffer);
    return {batch.columns().values, batch.columns().values + set->samples()};
  }

  std::filesystem::path folder_;
};

TEST_F(Words, OfTheLastTextAreBiology) {
  write_list({"ml", "ml", "it", "it", "neuro", "neuro", "neuro"});
  const DataFolder data(folder_);
  EXPECT_EQ(data.dimension(kStream), 7);
  EXPECT_EQ(samples(data, "mathematics", Split::Train), (std::vector<double>{1, 3}));
  EXPECT_EQ(samples(data, "mathematics", Split::Test), (std::vector<double>{2, 4}));
  EXPECT_EQ(samples(data, "biology", Split::Train), (std::vector<double>{5, 7}));
  EXPECT_EQ(samples(data, "biology", Split::Test), std::vector<double>{6});
}

TEST_F(Words, AnotherSplitIsAnotherResult) {
  write_list({"a", "a", "a", "b", "b", "b", "b"});
  const Json one = DataFolder(folder_).fingerprint(kStream);
  write_list({"a", "a", "b", "b", "b", "b", "b"});
  EXPECT_NE(DataFolder(folder_).fingerprint(kStream), one);
}

TEST_F(Words, WithoutAListThatFitsAreRefused) {
  EXPECT_THROW(DataFolder(folder_).dimension(kStream), DataError);  // no list
  write_list({"a", "a", "b"});
  EXPECT_THROW(DataFolder(folder_).dimension(kStream), DataError);
  write_list({"a", "a", "a", "a", "a", "a", "a"});
  EXPECT_THROW(DataFolder(folder_).dimension(kStream), DataError);  // one text
}

}  // namespace
}  // namespace nodl::study
