// Members of a zip file, stored or deflated:
// https://pkware.cachefly.net/webdocs/APPNOTE/APPNOTE-6.3.9.TXT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/mapped_file.h"

namespace nodl::io {

/// Bytes of a member: a view of the file if it is stored, else its own.
struct ZipContent {
  std::vector<char> storage;
  std::span<const char> bytes;
};

/// Throws DataError; no size that the file states is believed before it is checked.
class ZipReader {
 public:
  explicit ZipReader(const std::string& path);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// Decompressed and compared with its checksum.
  ZipContent read(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  struct Member {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  // offset of the local header
  };

  const Member* find(const std::string& name) const;
  void read_directory();
  void read_zip64_sizes(std::span<const char> extra, Member& member) const;
  std::span<const char> packed_bytes(const Member& member) const;
  std::vector<char> unpack(const Member& member, std::span<const char> packed) const;
  std::span<const char> part(std::uint64_t offset, std::uint64_t size) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  MappedFile file_;
  std::vector<Member> members_;
};

}  // namespace nodl::io
