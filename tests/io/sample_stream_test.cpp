#include "nodl/io/sample_stream.h"

#include <gtest/gtest.h>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

/// What a stream gave: samples, and where its batches begin and end.
struct Recorded {
  Matrix<double> samples;
  std::vector<Index> sizes;
  std::vector<bool> starts;
  std::vector<std::string> inputs;
  std::vector<Index> passes;
};

Recorded record(SampleStream<double>& stream) {
  Recorded out;
  out.samples.resize(stream.dimension(), 0);
  while (stream.next()) {
    const Batch<double>& batch = stream.batch();
    const Index before = out.samples.cols();
    out.samples.conservativeResize(Eigen::NoChange, before + batch.samples());
    if (batch.is_sparse()) {
      out.samples.rightCols(batch.samples()).setZero();
      const SparseColumns<double>& columns = batch.columns();
      for (Index j = 0; j < columns.cols; ++j) {
        for (Index p = columns.starts[j]; p < columns.starts[j + 1]; ++p) {
          out.samples(columns.indices[p], before + j) = columns.values[p];
        }
      }
    } else {
      out.samples.rightCols(batch.samples()) = batch.matrix();
    }
    out.sizes.push_back(batch.samples());
    out.starts.push_back(stream.starts_call());
    out.inputs.push_back(std::filesystem::path(stream.input()).filename().string());
    out.passes.push_back(stream.pass());
  }
  EXPECT_FALSE(stream.next());  // stays at its end
  EXPECT_EQ(stream.samples().value_or(out.samples.cols()), out.samples.cols());
  return out;
}

class Stream : public testing::Test {
 protected:
  void SetUp() override {
    all_.resize(3, 17);
    for (Index i = 0; i < all_.size(); ++i) all_.data()[i] = static_cast<double>((i * 7) % 11 % 5);
  }
  std::string part(const std::string& name, Index first, Index count) {
    write_rows<double>(folder_.path(name), all_.middleCols(first, count));
    return folder_.path(name);
  }
  Recorded read(const std::vector<std::string>& paths, const StreamOptions& options) {
    SampleStream<double> stream(paths, {}, options);
    return record(stream);
  }

  TemporaryFolder folder_;
  Matrix<double> all_;
};

using Sizes = std::vector<Index>;

TEST_F(Stream, JoinedBatchesSpanInputs) {
  const std::vector<std::string> paths = {
      part("a.npy", 0, 7), part("b.npy", 7, 1), part("c.npy", 8, 9)};
  const Recorded got = read(paths, {.batch_size = 5});
  EXPECT_EQ(got.samples, all_);
  EXPECT_EQ(got.sizes, (Sizes{5, 5, 5, 2}));
  EXPECT_EQ(got.starts, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(got.inputs, (std::vector<std::string>{"a.npy", "c.npy", "c.npy", "c.npy"}));
}

TEST_F(Stream, JoinedBatchesDoNotDependOnTheCutNorOnTheFormat) {
  const StreamOptions options{.batch_size = 4,
                              .preprocess = {.center = true, .scale_to_unit = true, .scale = 3}};
  const Recorded whole = read({part("whole.npy", 0, 17)}, options);
  for (const char* ending : {".npy", ".csv", ".npz", ".mtx"}) {
    for (Index cut = 1; cut < 17; ++cut) {
      const Recorded parts =
          read({part(std::string("a") + ending, 0, cut), part("b.npy", cut, 17 - cut)}, options);
      EXPECT_EQ(parts.samples, whole.samples) << cut << ending;
      EXPECT_EQ(parts.sizes, whole.sizes) << cut << ending;
    }
  }
}

TEST_F(Stream, SeparateInputsAreCallsOfTheirOwn) {
  const std::vector<std::string> paths = {
      part("a.npy", 0, 7), part("b.npy", 7, 1), part("c.csv", 8, 9)};
  const Recorded used = read(paths, {.batch_size = 3, .inputs = Inputs::Separate});
  EXPECT_EQ(used.samples, all_);
  EXPECT_EQ(used.sizes, (Sizes{3, 3, 1, 1, 3, 3, 3}));
  EXPECT_EQ(used.starts, (std::vector<bool>{true, false, false, true, true, false, false}));
  const Recorded dropped =
      read(paths, {.batch_size = 3, .inputs = Inputs::Separate, .last_batch = LastBatch::Drop});
  EXPECT_EQ(dropped.sizes, (Sizes{3, 3, 3, 3, 3}));
  EXPECT_EQ(dropped.starts, (std::vector<bool>{true, false, true, false, false}));
  EXPECT_EQ(dropped.samples.rightCols(9), all_.rightCols(9));
}

TEST_F(Stream, DropsTheLastBatchOfAJoinedStream) {
  const std::vector<std::string> paths = {part("a.npy", 0, 7), part("b.npy", 7, 10)};
  const Recorded got = read(paths, {.batch_size = 5, .last_batch = LastBatch::Drop});
  EXPECT_EQ(got.sizes, (Sizes{5, 5, 5}));
  EXPECT_EQ(read(paths, {.batch_size = 17, .last_batch = LastBatch::Drop}).sizes, (Sizes{17}));
  EXPECT_EQ(read(paths, {.batch_size = 18, .last_batch = LastBatch::Drop}).sizes, Sizes{});
}

TEST_F(Stream, APassIsTheInputsOnceMore) {
  const std::vector<std::string> paths = {part("a.npy", 0, 7), part("b.csv", 7, 10)};
  const Recorded twice = read(paths, {.batch_size = 5, .passes = 2});
  EXPECT_EQ(twice.samples.leftCols(17), all_);
  EXPECT_EQ(twice.samples.rightCols(17), all_);
  EXPECT_EQ(twice.sizes, (Sizes{5, 5, 5, 5, 5, 5, 4}));
  EXPECT_EQ(twice.passes, (Sizes{1, 1, 1, 2, 2, 2, 2}));
  const Recorded separate = read(paths, {.batch_size = 8, .inputs = Inputs::Separate, .passes = 2});
  EXPECT_EQ(separate.sizes, (Sizes{7, 8, 2, 7, 8, 2}));
  EXPECT_EQ(separate.starts, (std::vector<bool>{true, true, false, true, true, false}));
}

TEST_F(Stream, StaysSparseIfAllInputsAre) {
  const std::string a = part("a.npz", 0, 7), b = part("b.npy", 7, 10), c = part("c.npz", 7, 10);
  SampleStream<double> sparse({a, c}, {}, {.batch_size = 5, .preprocess = {.scale = 2}});
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_EQ(sparse.samples(), 17);
  EXPECT_EQ(record(sparse).samples, 2 * all_);
  SampleStream<double> mixed({a, b}, {}, {.batch_size = 5});
  EXPECT_FALSE(mixed.is_sparse());
  while (mixed.next()) EXPECT_FALSE(mixed.batch().is_sparse());
  SampleStream<double> centred({a, c}, {}, {.batch_size = 5, .preprocess = {.center = true}});
  EXPECT_FALSE(centred.is_sparse());
}

TEST_F(Stream, DoesNotCopyBatchesWithinAnInput) {
  SampleStream<double> stream({part("a.npy", 0, 17)}, {}, {.batch_size = 6});
  std::vector<const double*> places;
  while (stream.next()) places.push_back(stream.batch().sample(0));
  EXPECT_EQ(places[1] - places[0], 6 * 3);  // they lie in the mapped file
  EXPECT_EQ(places[2] - places[1], 6 * 3);
}

TEST_F(Stream, NamesInputsOfDifferentWidth) {
  const std::string a = part("a.npy", 0, 7);
  const std::string b = folder_.write("b.csv", "1,2\n");
  EXPECT_EQ(error_of([&] {
              SampleStream<float>({a, b}, {}, {});
            }),
            b + ": expected 3 numbers a sample as in " + a + ", found 2");
}

TEST_F(Stream, IsAsWideAsItsWidestSvmlightFile) {
  const std::string narrow = folder_.write("a.svm", "1 1:5\n1 2:6\n");
  const std::string wide = folder_.write("b.svm", "1 3:7\n");
  const std::string dense = part("c.npy", 0, 7);
  const std::vector<std::string> paths = {narrow, wide, narrow};
  Matrix<double> expected(3, 10);
  expected.setZero();
  expected(0, 0) = expected(0, 3) = 5;
  expected(1, 1) = expected(1, 4) = 6;
  expected(2, 2) = 7;
  expected.rightCols(5) = expected.leftCols(5);
  SampleStream<double> stream(paths, {}, {.batch_size = 4, .passes = 2});
  EXPECT_EQ(stream.samples(), 10);
  EXPECT_EQ(record(stream).samples, expected);
  EXPECT_EQ(SampleStream<double>({narrow, dense}, {}, {}).dimension(), 3);
  EXPECT_EQ(SampleStream<double>({dense, narrow}, {}, {}).dimension(), 3);
  EXPECT_EQ(SampleStream<double>({narrow}, {.model_columns = 9}, {}).dimension(), 9);

  const std::string wider = folder_.write("d.svm", "1 4:7\n");
  EXPECT_EQ(error_of([&] {
              SampleStream<double>({dense, wider}, {}, {});
            }),
            wider + ": expected 3 numbers a sample as in " + dense + ", found 4");
  EXPECT_EQ(error_of([&] {
              SampleStream<double>({narrow, wider, dense}, {}, {});
            }),
            dense + ": expected 4 numbers a sample as in " + wider + ", found 3");
}

TEST_F(Stream, NamesTheInputWhoseScalingOverflows) {
  const std::string path = folder_.write("b.csv", "1e300\n");
  SampleStream<double> stream({path}, {}, {.preprocess = {.scale = 1e300}});
  EXPECT_EQ(error_of([&] { stream.next(); }),
            path + ": row 1, column 1: expected a number of at most 1e-160 in size, found 1e+300");
}

TEST_F(Stream, LetsThroughWhatCanBeUsedAfterPreprocessing) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(largest_usable<double>({}), 1e140);
  EXPECT_EQ(largest_usable<double>({.scale_to_unit = true}), most);
  EXPECT_EQ(largest_usable<double>({.scale = 1e-200}), most);
  EXPECT_EQ(largest_usable<float>({}), std::numeric_limits<float>::max());
  const std::string path = folder_.write("b.csv", "1e300,-1e299\n1,2\n3,1e141\n");
  const auto samples_left = [&](const PreprocessOptions& preprocess) {
    const ReadOptions read{.bad_rows = std::make_shared<BadRows>()};
    SampleStream<double> stream({path}, read, {.preprocess = preprocess});
    return stream.next() ? stream.batch().samples() : 0;
  };
  EXPECT_EQ(samples_left({}), 1);
  EXPECT_EQ(samples_left({.center = true}), 1);
  EXPECT_EQ(samples_left({.scale = 0.01}), 2);
  EXPECT_EQ(samples_left({.scale = 1e-200}), 3);
  EXPECT_EQ(samples_left({.scale_to_unit = true}), 3);
  EXPECT_EQ(samples_left({.center = true, .scale_to_unit = true}), 2) << "a mean may overflow";
  EXPECT_EQ(samples_left({.center = true, .scale = 1e-200}), 2);
}

TEST_F(Stream, RefusesImpossibleOptions) {
  const std::string a = part("a.npy", 0, 7);
  EXPECT_NE(error_of<InvalidOptions>([&] { SampleStream<double>({}, {}, {}); }), "no error");
  EXPECT_NE(error_of<InvalidOptions>([&] { SampleStream<double>({a}, {}, {.batch_size = 0}); }),
            "no error");
  EXPECT_NE(error_of<InvalidOptions>([&] { SampleStream<double>({a}, {}, {.passes = 0}); }),
            "no error");
}

}  // namespace
}  // namespace nodl::io::test
