#include "io/file_source.h"

#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <ctime>

#include "io/failure.h"

namespace nodl::io {
namespace {

// A signal that comes just before a system call does not interrupt it: nothing waits longer.
constexpr int kWaitMilliseconds = 200;

struct stat status_of(int file, const std::string& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) refuse_input(path, "read", errno);
  return status;
}

}  // namespace

FileSource::FileSource(FileDescriptor file, const std::string& path, const ReadOptions& options)
    : path_(path),
      interrupted_(options.interrupted),
      file_(std::move(file)),
      regular_(S_ISREG(status_of(file_.get(), path).st_mode)),
      follow_(options.follow) {
  if (follow_ && !regular_) {
    throw InvalidOptions(path + ": only a file can be followed; a pipe is read until it is closed");
  }
}

std::size_t FileSource::read(char* out, std::size_t size) {
  for (;;) {
    if (regular_) stop_if_interrupted();  // sorting a large file takes many reads
    if (!regular_ && !wait_for_pipe()) continue;
    const ssize_t got = ::read(file_.get(), out, size);
    if (got > 0 || (got == 0 && !follow_)) {
      offset_ += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) refuse_input(path_, "read", errno);
    stop_if_interrupted();
    if (got == 0) wait_for_growth();
  }
}

void FileSource::stop_if_interrupted() const {
  if (interrupted_ && interrupted_()) throw Interrupted(path_ + ": interrupted");
}

/// False if nothing came within the time.
bool FileSource::wait_for_pipe() const {
  pollfd wanted{file_.get(), POLLIN, 0};
  if (::poll(&wanted, 1, kWaitMilliseconds) > 0) return true;
  stop_if_interrupted();
  return false;
}

void FileSource::wait_for_growth() const {
  const struct stat mine = status_of(file_.get(), path_);
  if (static_cast<std::size_t>(mine.st_size) < offset_) {
    refuse(path_, "was cut short while it was followed");
  }
  struct stat named {};
  if (::stat(path_.c_str(), &named) != 0 || named.st_ino != mine.st_ino ||
      named.st_dev != mine.st_dev) {
    refuse(path_, "was removed or replaced while it was followed");
  }
  const timespec pause{0, kWaitMilliseconds * 1'000'000L};
  ::nanosleep(&pause, nullptr);
}

}  // namespace nodl::io
