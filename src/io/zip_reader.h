// Members of a zip file, stored or deflated:
// https://pkware.cachefly.net/webdocs/APPNOTE/APPNOTE-6.3.9.TXT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/zip_member.h"

namespace nodl::io {

/// Throws DataError; no size that the file states is believed before it is checked.
class ZipReader {
 public:
  ZipReader(const std::string& path, const ReadOptions& options);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  bool has(const std::string& name) const;
  /// Its bytes; this object must live as long. Throws DataError if there is no such member.
  std::unique_ptr<ByteSource> open(const std::string& name) const;
  std::uint64_t size(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  const ZipMember& find(const std::string& name) const;
  void read_directory();
  void read_zip64_sizes(std::span<const char> extra, ZipMember& member) const;
  std::span<const char> packed_bytes(const ZipMember& member) const;
  std::span<const char> part(std::uint64_t offset, std::uint64_t size) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  MappedFile file_;
  std::vector<ZipMember> members_;
};

}  // namespace nodl::io
