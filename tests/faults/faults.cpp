// Loaded before the C library (LD_PRELOAD): counts the system calls that touch one file, and lets
// one of them fail, end the program, or both halfway.
//
//   NODL_FAULT_FILE   files whose path holds this, and folders that are synced
//   NODL_FAULT_AT     number of the call, from 1
//   NODL_FAULT_KIND   kill: SIGKILL instead of the call; torn: half of a write, then SIGKILL;
//                     full: from this call on, what needs room fails with ENOSPC;
//                     error: this call fails with EIO; slow: this call takes three seconds
//   NODL_FAULT_LOG    names of the calls seen, one a line
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int kFiles = 4096;
std::array<std::atomic<bool>, kFiles> watched{};
std::atomic<int> calls{0};

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_watched(const char* path) {
  const std::string_view wanted = setting("NODL_FAULT_FILE");
  return !wanted.empty() && std::string_view(path).find(wanted) != std::string_view::npos;
}
bool is_watched(int file) { return file >= 0 && file < kFiles && watched[file]; }

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void log_call(const char* name) {
  static std::FILE* const log = [] {
    const std::string_view path = setting("NODL_FAULT_LOG");
    return path.empty() ? nullptr : std::fopen(path.data(), "w");
  }();
  if (log == nullptr) return;
  std::fprintf(log, "%s\n", name);
  std::fflush(log);
}

[[noreturn]] void die() {
  std::raise(SIGKILL);
  std::abort();
}

/// What is to happen to this call.
enum class Fate { Go, Torn, Fail };

Fate fate_of(const char* name, bool needs_room) {
  const int number = ++calls;
  log_call(name);
  const std::string_view kind = setting("NODL_FAULT_KIND");
  const std::string_view at_text = setting("NODL_FAULT_AT");
  const int at = at_text.empty() ? 0 : std::atoi(at_text.data());
  if (at == 0 || number < at) return Fate::Go;
  if (kind == "full" && needs_room) {
    errno = ENOSPC;
    return Fate::Fail;
  }
  if (number > at) return Fate::Go;
  if (kind == "kill") die();
  if (kind == "torn") return Fate::Torn;
  if (kind == "slow") ::sleep(3);
  if (kind != "error") return Fate::Go;
  errno = EIO;
  return Fate::Fail;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const bool watch = is_watched(path) && (flags & O_ACCMODE) != O_RDONLY;
  const bool folder = (flags & O_DIRECTORY) != 0;
  if (watch && fate_of("open", true) != Fate::Go) return -1;
  const int file = real<int(const char*, int, ...)>("open")(path, flags, mode);
  if (file >= 0 && file < kFiles) watched[file] = watch || folder;
  return file;
}

ssize_t write(int file, const void* bytes, size_t size) {
  auto* const call = real<ssize_t(int, const void*, size_t)>("write");
  if (!is_watched(file)) return call(file, bytes, size);
  const Fate fate = fate_of("write", true);
  if (fate == Fate::Fail) return -1;
  if (fate == Fate::Torn) {
    call(file, bytes, size / 2);
    die();
  }
  return call(file, bytes, size);
}

int fsync(int file) {
  if (is_watched(file) && fate_of("fsync", true) != Fate::Go) return -1;
  return real<int(int)>("fsync")(file);
}

int flock(int file, int operation) {
  if (is_watched(file) && fate_of("flock", false) != Fate::Go) return -1;
  return real<int(int, int)>("flock")(file, operation);
}

int fchmod(int file, mode_t mode) {
  if (is_watched(file) && fate_of("fchmod", false) != Fate::Go) return -1;
  return real<int(int, mode_t)>("fchmod")(file, mode);
}

int rename(const char* from, const char* to) noexcept {
  if (is_watched(to) && fate_of("rename", true) != Fate::Go) return -1;
  return real<int(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) noexcept {
  if (is_watched(path) && fate_of("unlink", false) != Fate::Go) return -1;
  return real<int(const char*)>("unlink")(path);
}

int close(int file) {
  const bool was_watched = is_watched(file);
  if (was_watched) watched[file] = false;
  const Fate fate = was_watched ? fate_of("close", false) : Fate::Go;
  const int result = real<int(int)>("close")(file);  // a close that fails has closed
  if (fate == Fate::Fail) errno = EIO;
  return fate == Fate::Go ? result : -1;
}

}  // extern "C"
