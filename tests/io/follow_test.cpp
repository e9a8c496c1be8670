// Files that grow, and pipes that stop.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "io/file_descriptor.h"
#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

using namespace std::chrono_literals;

class Follow : public testing::Test {
 protected:
  void append(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_.path(name), std::ios::binary | std::ios::app) << bytes;
  }
  ReadOptions options() {
    ReadOptions options{.interrupted = [this] { return stop_.load(); }, .follow = true};
    return options;
  }
  /// Reads `count` samples in another thread.
  std::future<Matrix<double>> read(SampleReader& reader, Index count) {
    return std::async(std::launch::async, [&reader, count] {
      SampleBuffer<double> buffer;
      const Batch<double> batch = reader.read(count, buffer);
      return Matrix<double>(batch.is_sparse() ? buffer.sparse.to_dense() : batch.matrix());
    });
  }

  TemporaryFolder folder_;
  std::atomic<bool> stop_{false};
};

TEST_F(Follow, WaitsForWholeRows) {
  folder_.write("a.csv", "x,y\n1,2\n3,");
  const auto reader = open_samples(folder_.path("a.csv"), options());
  auto samples = read(*reader, 3);
  EXPECT_EQ(samples.wait_for(300ms), std::future_status::timeout);
  append("a.csv", "4\n5,6");
  EXPECT_EQ(samples.wait_for(300ms), std::future_status::timeout) << "the last row has no end yet";
  append("a.csv", "\n");
  EXPECT_EQ(samples.get(), rows({{1, 2}, {3, 4}, {5, 6}}));
  samples = read(*reader, 2);
  append("a.csv", "7,8\n9,");
  std::this_thread::sleep_for(300ms);
  stop_ = true;
  EXPECT_EQ(samples.get(), rows({{7, 8}})) << "half a row is none";
}

TEST_F(Follow, WaitsForWholeRecords) {
  const std::string record = raw<double>({1, 2});
  folder_.write("a.raw", record + record.substr(0, 5));
  ReadOptions raw_options = options();
  raw_options.columns = 2;
  raw_options.dtype = "f8";
  const auto reader = open_samples(folder_.path("a.raw"), raw_options);
  auto samples = read(*reader, 2);
  EXPECT_EQ(samples.wait_for(300ms), std::future_status::timeout);
  append("a.raw", record.substr(5));
  EXPECT_EQ(samples.get(), rows({{1, 2}, {1, 2}}));
}

TEST_F(Follow, NoticesAFileThatIsNotTheSameAnyMore) {
  const std::string path = folder_.write("a.svm", "1 1:1\n");
  ReadOptions svm = options();
  svm.columns = 2;
  auto reader = open_samples(path, svm);
  auto samples = read(*reader, 2);
  std::filesystem::resize_file(path, 2);
  EXPECT_EQ(error_of([&] { samples.get(); }), path + ": was cut short while it was followed");

  folder_.write("a.svm", "1 1:1\n");
  reader = open_samples(path, svm);
  samples = read(*reader, 2);
  std::filesystem::rename(folder_.write("b.svm", "1 1:1\n"), path);
  EXPECT_EQ(error_of([&] { samples.get(); }),
            path + ": was removed or replaced while it was followed");
}

TEST_F(Follow, RefusesWhatCannotGrow) {
  const auto refused = [&](const std::string& path, bool transpose) {
    ReadOptions follow = options();
    follow.transpose = transpose;
    return !error_of<InvalidOptions>([&] { open_samples(path, follow); }).starts_with("no error");
  };
  write_rows(folder_.path("a.npy"), rows({{1}}));
  write_rows(folder_.path("a.npz"), rows({{1}}));
  write_rows(folder_.path("a.mtx"), rows({{1}}));
  for (const char* name : {"a.npy", "a.npz", "a.mtx"})
    EXPECT_TRUE(refused(folder_.path(name), false));
  EXPECT_TRUE(refused(folder_.write("a.csv.gz", gzip("1\n")), false));
  EXPECT_TRUE(refused(folder_.write("a.csv", "1\n"), true));
  EXPECT_TRUE(refused(folder_.write("a.svm", "1 1:1\n"), false)) << "without columns";
}

TEST_F(Follow, APipeThatSaysNothingCanBeInterrupted) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor writer(::open(path.c_str(), O_RDWR));  // neither end waits for the other
  const std::string text = "1\n2\n3";
  ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ReadOptions pipe{.format = Format::Csv, .interrupted = [this] { return stop_.load(); }};
  const auto reader = open_samples(path, pipe);
  auto samples = read(*reader, 5);
  EXPECT_EQ(samples.wait_for(300ms), std::future_status::timeout);
  stop_ = true;
  EXPECT_EQ(samples.get(), rows({{1}, {2}}));
  EXPECT_EQ(read(*reader, 5).get().cols(), 0);
  EXPECT_EQ(error_of<Interrupted>([&] { open_samples(path, pipe); }), path + ": interrupted");
}

TEST_F(Follow, BinaryFormatsComeThroughAPipe) {
  const Matrix<double> samples = rows({{1, 0, 2}, {3, 4, 0}});
  for (const char* name : {"a.npy", "a.npz", "a.mtx"}) {
    write_rows(folder_.path(name), samples);
    const std::string path = folder_.path(std::string("pipe") + name);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const auto feed = std::async(std::launch::async, [&] {
      std::ofstream(path, std::ios::binary) << bytes_of(folder_.path(name));
    });
    EXPECT_EQ(read_all(path), samples) << name;
  }
}

}  // namespace
}  // namespace nodl::io::test
