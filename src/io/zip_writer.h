// A zip file of stored members, the same bytes for the same members.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/atomic_file.h"

namespace nodl::io {

/// Running CRC-32.
class Checksum {
 public:
  void add(std::span<const char> bytes);
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

class ZipWriter {
 public:
  explicit ZipWriter(BufferedOutput& output) : output_(output) {}

  /// The header of a member; exactly `size` bytes with this checksum must follow in the output.
  void begin_member(const std::string& name, std::uint64_t size, std::uint32_t crc);
  void add_member(const std::string& name, std::span<const char> bytes);
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t size;
    std::uint32_t crc;
    std::uint64_t offset;
  };

  BufferedOutput& output_;
  std::vector<Member> members_;
};

}  // namespace nodl::io
