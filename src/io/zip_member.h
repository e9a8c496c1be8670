// The bytes of one member of a zip file, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/byte_source.h"
#include "io/mapped_file.h"

namespace nodl::io {

/// What the directory of a zip file says about a member.
struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  // offset of the local header
};

/// Stored or deflated. With the last byte comes the comparison with the checksum and the size.
/// The file must live as long. `path` stands in messages. Throws DataError.
std::unique_ptr<ByteSource> open_member(const MappedFile& file,
                                        const ZipMember& member,
                                        std::span<const char> packed,
                                        const std::string& path);

}  // namespace nodl::io
