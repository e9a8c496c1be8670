// Passing over samples: what is left must be what a stream that never stopped would have given.
#include <gtest/gtest.h>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/io/sample_stream.h"

namespace nodl::io::test {
namespace {

struct Seen {
  std::vector<Index> sizes;
  std::vector<bool> starts;
  std::vector<SampleDigest> digests;
  bool operator==(const Seen&) const = default;
};

Seen rest_of(SampleStream<double>& stream, std::size_t from = 0) {
  Seen seen;
  for (std::size_t batch = 0; stream.next(); ++batch) {
    if (batch < from) continue;
    seen.sizes.push_back(stream.batch().samples());
    seen.starts.push_back(stream.starts_call());
    seen.digests.push_back(stream.digest());
  }
  return seen;
}

class StreamSkip : public testing::Test {
 protected:
  void SetUp() override {
    Matrix<double> all(3, 23);
    for (Index i = 0; i < all.size(); ++i) all.data()[i] = static_cast<double>(i * 7 % 11 % 5);
    add("a.npy", all.leftCols(9));
    add("b.csv", all.middleCols(9, 2));
    add("c.npz", all.rightCols(12));
  }
  void add(const std::string& name, const Matrix<double>& samples) {
    write_rows<double>(folder_.path(name), samples);
    paths_.push_back(folder_.path(name));
  }

  TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(StreamSkip, GoesOnBehindAnyBatch) {
  for (const Inputs inputs : {Inputs::Joined, Inputs::Separate}) {
    for (const LastBatch last : {LastBatch::Use, LastBatch::Drop}) {
      for (const Index passes : {1, 2}) {
        const StreamOptions options{
            .batch_size = 4, .inputs = inputs, .last_batch = last, .passes = passes};
        SampleStream<double> whole(paths_, {}, options);
        const Seen all = rest_of(whole);
        Index before = 0;
        SampleDigest expected;
        for (std::size_t batch = 0; batch <= all.sizes.size(); ++batch) {
          SampleStream<double> skipped(paths_, {}, options);
          EXPECT_TRUE(skipped.skip(before));
          SampleStream<double> again(paths_, {}, options);
          EXPECT_EQ(rest_of(skipped), rest_of(again, batch)) << batch;

          SampleStream<double> checked(paths_, {}, options);
          SampleDigest digest;
          EXPECT_TRUE(checked.skip(before, digest));
          EXPECT_EQ(digest, expected) << batch;
          SampleStream<double> third(paths_, {}, options);
          EXPECT_EQ(rest_of(checked), rest_of(third, batch)) << batch;
          if (batch == all.sizes.size()) break;
          before += all.sizes[batch];
          expected.append(all.digests[batch]);
        }
        SampleStream<double> beyond(paths_, {}, options);
        EXPECT_FALSE(beyond.skip(23 * passes + 1));
      }
    }
  }
}

TEST_F(StreamSkip, GoesOnInsideWhatHasGrown) {
  const StreamOptions options{.batch_size = 4};
  SampleStream<double> stream({paths_[0]}, {}, options);
  EXPECT_TRUE(stream.skip(9));
  EXPECT_FALSE(stream.next());
  SampleStream<double> grown({paths_[0], paths_[2]}, {}, options);
  EXPECT_TRUE(grown.skip(9));
  EXPECT_EQ(rest_of(grown).sizes, (std::vector<Index>{4, 4, 4}));
}

TEST_F(StreamSkip, AnInterruptedOrEndlessStreamGivesNoShortBatch) {
  for (const Inputs inputs : {Inputs::Joined, Inputs::Separate}) {
    ReadOptions read;
    read.interrupted = [] { return true; };
    SampleStream<double> interrupted({paths_[0]}, read, {.batch_size = 4, .inputs = inputs});
    EXPECT_EQ(rest_of(interrupted).sizes, (std::vector<Index>{4, 4}));
    SampleStream<double> endless(
        {paths_[0]}, {}, {.batch_size = 4, .inputs = inputs, .endless = true});
    EXPECT_EQ(rest_of(endless).sizes, (std::vector<Index>{4, 4}));
  }
}

}  // namespace
}  // namespace nodl::io::test
