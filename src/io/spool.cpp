#include "io/spool.h"

#include <algorithm>
#include <cerrno>

#include "io/failure.h"

namespace nodl::io {

void Spool::read(std::size_t offset, void* out, std::size_t size) {
  char* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(output_.descriptor(), to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_output(output_.path(), got < 0 ? errno : EIO);
    to += got;
    offset += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

void Spool::for_each_piece(const std::function<void(std::span<const char>)>& visit) {
  output_.flush();
  std::vector<char> piece(std::min<std::size_t>(size(), std::size_t{1} << 18));
  for (std::size_t at = 0; at < size(); at += piece.size()) {
    const std::size_t now = std::min(piece.size(), size() - at);
    read(at, piece.data(), now);
    visit({piece.data(), now});
  }
}

}  // namespace nodl::io
