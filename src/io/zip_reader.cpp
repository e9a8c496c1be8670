#include "io/zip_reader.h"

#include <algorithm>

#include "io/failure.h"

namespace nodl::io {
namespace {

template <class Number>
Number number_at(std::span<const char> bytes, std::size_t offset) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value = static_cast<Number>(
        value |
        static_cast<Number>(Number{static_cast<unsigned char>(bytes[offset + i])} << (8 * i)));
  }
  return value;
}
const auto u16 = number_at<std::uint16_t>;
const auto u32 = number_at<std::uint32_t>;
const auto u64 = number_at<std::uint64_t>;

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kInZip64 = 0xffffffff;  // the true value is in a zip64 record

}  // namespace

ZipReader::ZipReader(const std::string& path, const ReadOptions& options)
    : path_(path), file_(path, options) {
  read_directory();
}

std::span<const char> ZipReader::part(std::uint64_t offset, std::uint64_t size) const {
  const std::span<const char> all = file_.bytes();
  if (offset > all.size() || size > all.size() - offset) fail("is truncated or not a zip file");
  return all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

void ZipReader::read_directory() {
  const std::span<const char> all = file_.bytes();
  constexpr std::size_t kEndSize = 22;
  constexpr std::size_t kLongestComment = 0xffff;
  if (all.size() < kEndSize) fail("is truncated or not a zip file");
  std::size_t end = all.size() - kEndSize;
  const std::size_t lowest = end - std::min(end, kLongestComment);
  while (u32(all, end) != kDirectoryEnd) {
    if (end == lowest) fail("is truncated or not a zip file");
    --end;
  }
  std::uint64_t count = u16(all, end + 10);
  std::uint64_t offset = u32(all, end + 16);
  if ((count == 0xffff || offset == kInZip64) && end >= 20 && u32(all, end - 20) == kZip64Locator) {
    const std::span<const char> zip64 = part(u64(all, end - 20 + 8), 56);
    if (u32(zip64, 0) != kZip64End) fail("the zip directory is damaged");
    count = u64(zip64, 32);
    offset = u64(zip64, 48);
  }
  constexpr std::uint64_t kEntrySize = 46;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::span<const char> entry = part(offset, kEntrySize);
    if (u32(entry, 0) != kDirectoryEntry) fail("the zip directory is damaged");
    const std::uint64_t name_size = u16(entry, 28);
    const std::uint64_t extra_size = u16(entry, 30);
    const std::span<const char> name = part(offset + kEntrySize, name_size);
    ZipMember member;
    member.name.assign(name.begin(), name.end());
    member.flags = u16(entry, 8);
    member.method = u16(entry, 10);
    member.crc = u32(entry, 16);
    member.packed = u32(entry, 20);
    member.size = u32(entry, 24);
    member.header = u32(entry, 42);
    read_zip64_sizes(part(offset + kEntrySize + name_size, extra_size), member);
    members_.push_back(std::move(member));
    offset += kEntrySize + name_size + extra_size + u16(entry, 32);
  }
}

void ZipReader::read_zip64_sizes(std::span<const char> extra, ZipMember& member) const {
  constexpr std::uint16_t kZip64Extra = 1;
  while (extra.size() >= 4) {
    const std::size_t size = u16(extra, 2);
    if (size > extra.size() - 4) fail("the zip directory is damaged");
    if (u16(extra, 0) == kZip64Extra) {
      std::span<const char> field = extra.subspan(4, size);
      for (std::uint64_t* value : {&member.size, &member.packed, &member.header}) {
        if (*value != kInZip64) continue;
        if (field.size() < 8) fail("the zip directory is damaged");
        *value = u64(field, 0);
        field = field.subspan(8);
      }
      return;
    }
    extra = extra.subspan(4 + size);
  }
}

bool ZipReader::has(const std::string& name) const {
  return std::any_of(
      members_.begin(), members_.end(), [&name](const ZipMember& m) { return m.name == name; });
}

const ZipMember& ZipReader::find(const std::string& name) const {
  const auto found = std::find_if(
      members_.begin(), members_.end(), [&name](const ZipMember& m) { return m.name == name; });
  if (found == members_.end()) fail("lacks the array " + name);
  return *found;
}

std::uint64_t ZipReader::size(const std::string& name) const { return find(name).size; }

std::unique_ptr<ByteSource> ZipReader::open(const std::string& name) const {
  const ZipMember& member = find(name);
  return open_member(file_, member, packed_bytes(member), path_);
}

std::span<const char> ZipReader::packed_bytes(const ZipMember& member) const {
  constexpr std::uint64_t kHeaderSize = 30;
  const std::span<const char> header = part(member.header, kHeaderSize);
  if (u32(header, 0) != kLocalHeader) fail(member.name + ": the zip header is damaged");
  return part(member.header + kHeaderSize + u16(header, 26) + u16(header, 28), member.packed);
}

void ZipReader::fail(const std::string& what) const { refuse(path_, what); }

}  // namespace nodl::io
