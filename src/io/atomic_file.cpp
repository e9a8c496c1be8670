#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <ostream>
#include <streambuf>

#include "io/failure.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::io {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Temporary files of `target` are called this, a number of their own and kTemporaryEnd: patterns
/// such as *.npy never match them.
std::string temporary_start(const std::string& target) {
  return "." + std::filesystem::path(target).filename().string() + ".";
}
constexpr std::string_view kTemporaryEnd = ".tmp";

/// A temporary file is locked as long as somebody writes it. False: it is gone already, because it
/// was taken for a leftover before it was locked.
bool lock_new(const FileDescriptor& file) {
  struct stat status {};
  ::flock(file.get(), LOCK_EX);
  return ::fstat(file.get(), &status) != 0 || status.st_nlink > 0;
}

/// A new file beside `target`.
FileDescriptor create_beside(const std::string& target, std::string& name) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    name = folder_of(target) + "/" + temporary_start(target) + std::to_string(::getpid()) + "-" +
           std::to_string(counter++) + std::string(kTemporaryEnd);
    FileDescriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.is_open() && errno != EEXIST) fail_output(target, errno);
    if (file.is_open() && lock_new(file)) return file;
  }
}

bool is_temporary_of(const std::string& target, const std::string& name) {
  const std::string start = temporary_start(target);
  if (!name.starts_with(start) || !name.ends_with(kTemporaryEnd)) return false;
  const std::size_t end = name.size() - kTemporaryEnd.size();
  return end > start.size() && name.find_first_not_of("0123456789-", start.size()) == end;
}

/// Where the file is, or is to be: a link may point to a file that is not there yet.
std::string follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as the system follows
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error)) {
    const fs::path target = fs::canonical(path, error);
    return error ? path : target.string();  // what is no file of a folder has no other name
  }
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == kMostLinks) fail_output(path, ELOOP);
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target.string();
}

/// Devices and folders must not be replaced: renaming a file to /dev/null would remove the device.
void check_replaceable(const std::string& target, const std::string& path) {
  if (path.empty()) fail_output("the output's name is empty", ENOENT);
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) fail_output(path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw ResourceError(path + ": cannot be written: not a regular file");
  }
}

/// What a std::ostream writes goes to a BufferedOutput.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(BufferedOutput& output) : output_(output) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    output_.write(&byte, 1);
    return c;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    output_.write(bytes, static_cast<std::size_t>(count));
    return count;
  }
  int sync() override {
    output_.flush();
    return 0;
  }

 private:
  BufferedOutput& output_;
};

}  // namespace

void remove_leftovers(const std::string& path) {
  const std::string target = follow_links(path);
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_of(target), error);
  for (; !error && entry != std::filesystem::end(entry); entry.increment(error)) {
    const std::filesystem::path& found = entry->path();
    if (!is_temporary_of(target, found.filename().string())) continue;
    const FileDescriptor file(::open(found.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(found.c_str());
  }
}

FileDescriptor open_nameless(const std::string& path) {
  std::string name;
  FileDescriptor file = create_beside(path, name);
  ::unlink(name.c_str());
  return file;
}

BufferedOutput::BufferedOutput(FileDescriptor file, const std::string& path)
    : file_(std::move(file)), path_(path) {
  buffer_.reserve(kBuffer);
}

void BufferedOutput::write(const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  if (buffer_.size() + size > kBuffer) flush();
  if (size >= kBuffer) {
    write_through(from, size);
  } else {
    buffer_.insert(buffer_.end(), from, from + size);
  }
}

void BufferedOutput::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void BufferedOutput::write_through(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = ::write(file_.get(), bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_output(path_, errno);
    bytes += put;
    size -= static_cast<std::size_t>(put);
    written_ += static_cast<std::size_t>(put);
  }
}

void BufferedOutput::overwrite(std::size_t offset, std::string_view text) {
  flush();
  while (!text.empty()) {
    const ssize_t put = ::pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_output(path_, errno);
    text.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::size_t>(put);
  }
}

void BufferedOutput::close() {
  if (::close(file_.release()) != 0) fail_output(path_, errno);
}

FileDescriptor AtomicFile::begin(const std::string& path) {
  check_replaceable(target_, path);
  remove_leftovers(target_);
  return create_beside(target_, temporary_);
}

AtomicFile::AtomicFile(const std::string& path)
    : target_(follow_links(path)), output_(begin(path), path) {
  // A file that is replaced keeps its permissions.
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) ::fchmod(output_.descriptor(), status.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  output_.flush();
  if (::fsync(output_.descriptor()) != 0) fail_output(output_.path(), errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_output(output_.path(), errno);
  temporary_.clear();
  output_.close();  // not before: until it has its name, the lock keeps it from being a leftover
  // The new name survives a power cut only once the folder is written, too. Some file systems
  // cannot sync a folder; the file itself is complete.
  const FileDescriptor folder(
      ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.get());
}

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  OutputBuffer buffer(file.output());
  std::ostream stream(&buffer);
  stream.exceptions(std::ios::badbit);  // lets the ResourceError of the buffer through
  write(stream);
  stream.flush();
  file.commit();
}

}  // namespace nodl::io
