#include "model_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "nodl/error.h"
#include "nodl/io/model_file.h"

namespace nodl::python {
namespace {

/// A file that lives in memory only, for a reader that wants a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("nodl", MFD_CLOEXEC)) {
    std::size_t written = 0;
    while (descriptor_ >= 0 && written < bytes.size()) {
      const ssize_t count = write(descriptor_, bytes.data() + written, bytes.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) break;
      written += static_cast<std::size_t>(count);
    }
    if (descriptor_ >= 0 && written == bytes.size()) return;
    const std::string why = std::strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw ResourceError("a model cannot be unpickled: " + why);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

template <class Scalar>
std::string bytes_of_model(const Model<Scalar>& model) {
  std::ostringstream out;
  io::write_model(model, out);
  return std::move(out).str();
}

AnyModel model_of_bytes(const std::string& bytes) {
  const MemoryFile file(bytes);
  return io::load_model(file.path());
}

template std::string bytes_of_model(const Model<double>&);
template std::string bytes_of_model(const Model<float>&);

}  // namespace nodl::python
