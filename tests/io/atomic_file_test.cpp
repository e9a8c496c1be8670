#include "io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <ostream>

#include "io/files.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io::test {
namespace {

/// Files of this process cannot grow beyond `bytes`: what a full disk does, without a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(AtomicFile, AppearsWholeUnderItsName) {
  const TemporaryFolder folder;
  const std::string path = folder.path("model");
  write_atomically(path, [&](std::ostream& out) {
    out << "first";
    EXPECT_FALSE(std::filesystem::exists(path));
  });
  EXPECT_EQ(bytes_of(path), "first");
  write_atomically(path, [&](std::ostream& out) {
    out << "second " << 2;
    out.put('!');
    out.flush();
    EXPECT_EQ(bytes_of(path), "first");
  });
  EXPECT_EQ(bytes_of(path), "second 2!");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, WritesMoreThanItsBuffer) {
  const TemporaryFolder folder;
  const std::string piece(100'000, 'x');
  write_atomically(folder.path("a"), [&](std::ostream& out) {
    for (int i = 0; i < 9; ++i) out << piece << i;
    out << std::string(1'000'000, 'y');
  });
  const std::string bytes = bytes_of(folder.path("a"));
  EXPECT_EQ(bytes.size(), 1'900'009u);
  EXPECT_EQ(bytes[100'000], '0');
  EXPECT_EQ(bytes.substr(900'006, 4), "xx8y");
}

TEST(AtomicFile, LeavesTheOldFileWhenWritingFails) {
  const TemporaryFolder folder;
  const std::string path = folder.write("model", "old");
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << "new";
                                  throw std::logic_error("stop");
                                }),
               std::logic_error);
  std::string message;
  {
    const SmallDisk disk(1 << 16);
    message = error_of<ResourceError>([&] {
      write_atomically(path, [](std::ostream& out) { out << std::string(1 << 20, 'x'); });
    });
    EXPECT_EQ(message, path + ": cannot be written: File too large");
    message = error_of<ResourceError>(
        [&] { write_rows<double>(folder.path("a.npz"), Matrix<double>::Ones(100, 1000)); });
    EXPECT_EQ(message, folder.path("a.npz") + ": cannot be written: File too large");
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  const auto write = [](const std::string& path) {
    return error_of<ResourceError>([&] { write_atomically(path, [](std::ostream&) {}); });
  };
  const std::string lost = folder.path("no/such");
  EXPECT_EQ(write(lost), lost + ": cannot be written: No such file or directory");
  EXPECT_EQ(write(folder.folder()), folder.folder() + ": cannot be written: Is a directory");
  EXPECT_EQ(write("/dev/full"), "/dev/full: cannot be written: not a regular file");
  EXPECT_NE(write(""), "no error");
  EXPECT_EQ(folder.files(), 0u);
  const std::string circle = folder.path("circle");
  std::filesystem::create_symlink("circle", circle);
  EXPECT_EQ(write(circle), circle + ": cannot be written: Too many levels of symbolic links");
}

TEST(AtomicFile, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.write("model", "old");
  ::chmod(path.c_str(), 0640);
  std::filesystem::create_symlink(path, folder.path("link"));
  write_atomically(folder.path("link"), [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(bytes_of(path), "new");
  struct stat status {};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(AtomicFile, FollowsLinksToAFileThatIsNotThereYet) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("model", folder.path("newest"));
  std::filesystem::create_symlink(folder.path("newest"), folder.path("link"));
  write_atomically(folder.path("link"), [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(bytes_of(folder.path("model")), "new");
}

TEST(AtomicFile, RemovesWhatKilledWritersLeftAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.path("model");
  folder.write(".model.123-0.tmp", "left by a killed run");
  const std::vector<std::string> others = {folder.write(".model.tmp", ""),
                                           folder.write(".model.notes.tmp", ""),
                                           folder.write(".model2.123-0.tmp", ""),
                                           folder.write("model.123-0.tmp", "")};
  write_atomically(path, [&](std::ostream& out) {
    EXPECT_FALSE(std::filesystem::exists(folder.path(".model.123-0.tmp")));
    // Another writer of the same file is at work: what it writes is not a leftover.
    write_atomically(path, [](std::ostream& second) { second << "second"; });
    remove_leftovers(path);
    out << "first";
  });
  EXPECT_EQ(bytes_of(path), "first");
  for (const std::string& other : others) EXPECT_TRUE(std::filesystem::exists(other)) << other;
  EXPECT_EQ(folder.files(), 1 + others.size());
}

}  // namespace
}  // namespace nodl::io::test
