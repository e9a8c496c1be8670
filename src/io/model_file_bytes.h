// Where the bytes of a model file stand (docs/FORMAT.md); writer and reader share it.
#pragma once

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

namespace nodl::io {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

// Not ASCII at first, so that it is no text; line ends, so that a transfer as text shows.
constexpr std::array<char, 8> kMagic = {'\x89', 'N', 'O', 'D', 'L', '\r', '\n', '\x1a'};
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::int64_t kAlignment = 64;
constexpr std::uint64_t kOptionalFlag = 1;

struct FilePrefix {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = 0;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t sections = 0;
  std::array<std::uint64_t, 2> reserved{};
  std::uint64_t checksum =
      0;  // of all bytes before this field and from after it to the first section
};
static_assert(sizeof(FilePrefix) == 64 && offsetof(FilePrefix, checksum) == 56);

struct TableEntry {
  std::array<char, 48> name{};
  std::array<char, 8> type{};
  std::uint64_t flags = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // of the section and of the zeros that fill it up to the alignment
  std::array<std::uint64_t, 3> reserved{};
};
static_assert(sizeof(TableEntry) == 128);

constexpr std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

constexpr std::array<char, kAlignment> kZeros{};

class Checksum {
 public:
  Checksum() : state_(XXH3_createState(), XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* data, std::int64_t bytes) {
    if (bytes > 0) XXH3_64bits_update(state_.get(), data, static_cast<std::size_t>(bytes));
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

}  // namespace nodl::io
