#include "io/zip_writer.h"

#include <zlib.h>

#include <algorithm>

namespace nodl::io {
namespace {

constexpr std::uint64_t kLimit32 = 0xffffffff;
constexpr std::uint16_t kVersion = 20;  // of the format that a reader must know
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint32_t kFirstOfJanuary1980 = 0x00210000;  // zip cannot say "no date"

class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }

  std::string bytes_;
};

std::uint64_t limited(std::uint64_t value) { return std::min(value, kLimit32); }

}  // namespace

void Checksum::add(std::span<const char> bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib takes lengths of 32 bits
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    const std::size_t size = std::min(kStep, bytes.size() - at);
    const auto* from = reinterpret_cast<const Bytef*>(bytes.data() + at);
    value_ = static_cast<std::uint32_t>(crc32(value_, from, static_cast<uInt>(size)));
  }
}

void ZipWriter::begin_member(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  members_.push_back({name, size, crc, output_.size()});
  const bool large = size >= kLimit32;
  Record extra;
  if (large) extra.u16(1).u16(16).u64(size).u64(size);
  Record header;
  header.u32(0x04034b50).u16(large ? kVersionZip64 : kVersion).u16(0).u16(0);
  header.u32(kFirstOfJanuary1980).u32(crc);
  header.u32(large ? kLimit32 : size).u32(large ? kLimit32 : size);
  header.u16(name.size()).u16(extra.bytes().size()).text(name).text(extra.bytes());
  output_.write(header.bytes());
}

void ZipWriter::add_member(const std::string& name, std::span<const char> bytes) {
  Checksum crc;
  crc.add(bytes);
  begin_member(name, bytes.size(), crc.value());
  output_.write(bytes.data(), bytes.size());
}

void ZipWriter::finish() {
  const std::uint64_t start = output_.size();
  for (const Member& member : members_) {
    const bool large = member.size >= kLimit32;
    const bool far = member.offset >= kLimit32;
    Record values;
    if (large) values.u64(member.size).u64(member.size);
    if (far) values.u64(member.offset);
    Record extra;
    if (large || far) extra.u16(1).u16(values.bytes().size()).text(values.bytes());
    const std::uint16_t version = large || far ? kVersionZip64 : kVersion;
    Record entry;
    entry.u32(0x02014b50).u16(version).u16(version).u16(0).u16(0);
    entry.u32(kFirstOfJanuary1980).u32(member.crc);
    entry.u32(limited(member.size)).u32(limited(member.size));
    entry.u16(member.name.size()).u16(extra.bytes().size()).u16(0).u16(0).u16(0).u32(0);
    entry.u32(limited(member.offset)).text(member.name).text(extra.bytes());
    output_.write(entry.bytes());
  }
  const std::uint64_t end = output_.size();
  if (start >= kLimit32) {
    Record zip64;
    zip64.u32(0x06064b50).u64(44).u16(kVersionZip64).u16(kVersionZip64).u32(0).u32(0);
    zip64.u64(members_.size()).u64(members_.size()).u64(end - start).u64(start);
    zip64.u32(0x07064b50).u32(0).u64(end).u32(1);  // and where it is
    output_.write(zip64.bytes());
  }
  Record last;
  last.u32(0x06054b50).u16(0).u16(0).u16(members_.size()).u16(members_.size());
  last.u32(limited(end - start)).u32(limited(start)).u16(0);
  output_.write(last.bytes());
}

}  // namespace nodl::io
