#include "scikit_learn.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <vector>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "study_assets.h"

extern char** environ;  // NOLINT: POSIX has it nowhere else

namespace nodl::study {
namespace {

/// A folder of its own that goes when it is done.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> number{0};
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("nodl-scikit-learn-{}-{}", ::getpid(), number++);
    std::error_code error;
    if (!std::filesystem::create_directory(path_, error) || error) {
      throw ResourceError(path_.string() + ": cannot be made: " + error.message());
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The program's exit code, -1 if it could not be run; what it prints is not shown. BLAS gets one
/// thread, as all runs of a study do.
int run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::string one_thread = "OPENBLAS_NUM_THREADS=1";
  std::vector<char*> environment{one_thread.data()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).substr(0, 21) != "OPENBLAS_NUM_THREADS=") {
      environment.push_back(*entry);
    }
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The first Python that has scikit-learn; empty if none has.
const std::string& python() {
  static const std::string found = [] {
    for (const std::string name : {"python3", "/usr/bin/python3"}) {
      if (run({name, "-c", "from sklearn.decomposition import MiniBatchNMF"}) == 0) return name;
    }
    return std::string();
  }();
  return found;
}

}  // namespace

bool scikit_learn_present() { return !python().empty(); }

Matrix<double> scikit_learn_atoms(const std::string& estimator,
                                  const Matrix<double>& X,
                                  Index atoms,
                                  Index batch_size,
                                  std::uint64_t seed) {
  const ScratchFolder folder;
  const std::string script = folder.file("learn.py");
  io::write_atomically(script, [](std::ostream& out) { out << assets::kScikitLearn; });
  io::write_rows(folder.file("samples.npy"), X);
  const int status = run({python(),
                          script,
                          folder.file("samples.npy"),
                          folder.file("atoms.npy"),
                          estimator,
                          std::to_string(atoms),
                          std::to_string(batch_size),
                          std::to_string(seed)});
  if (status != 0) {
    throw ResourceError(
        fmt::format("scikit-learn's {} failed with exit code {}", estimator, status));
  }
  return io::read_rows(folder.file("atoms.npy"));
}

}  // namespace nodl::study
