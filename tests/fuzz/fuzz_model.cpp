// Any bytes as a model file: a model, or ModelError, and nothing else. Checksums would stop nearly
// all of them at the door, so that each is tried a second time with its checksums made right.
#include <vector>

#include "io/model_file_bytes.h"
#include "memory_file.h"
#include "nodl/error.h"
#include "nodl/io/model_file.h"

namespace nodl::fuzz {
namespace {

void load(const std::vector<std::uint8_t>& bytes) {
  const MemoryFile file(bytes.data(), bytes.size());
  try {
    io::load_model(file.path());
  } catch (const ModelError&) {
  }
}

/// The checksums and the size that a writer would have given to these bytes.
void make_right(std::vector<std::uint8_t>& bytes) {
  io::FilePrefix prefix;
  if (bytes.size() < sizeof(prefix)) return;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  const std::uint64_t size = bytes.size();
  prefix.file_bytes = size;
  if (prefix.header_bytes > size || prefix.sections > size / sizeof(io::TableEntry)) return;
  const auto header =
      static_cast<std::uint64_t>(io::aligned(static_cast<std::int64_t>(prefix.header_bytes)));
  const std::uint64_t table = sizeof(prefix) + header;
  const std::uint64_t end =
      table + static_cast<std::uint64_t>(
                  io::aligned(static_cast<std::int64_t>(prefix.sections * sizeof(io::TableEntry))));
  if (end > size) return;
  for (std::uint64_t s = 0; s < prefix.sections; ++s) {
    std::uint8_t* place = bytes.data() + table + s * sizeof(io::TableEntry);
    io::TableEntry entry;
    std::memcpy(&entry, place, sizeof(entry));
    if (entry.offset > size || entry.bytes > size - entry.offset) continue;
    const auto length =
        std::min(static_cast<std::uint64_t>(io::aligned(static_cast<std::int64_t>(entry.bytes))),
                 size - entry.offset);
    io::Checksum checksum;
    checksum.add(bytes.data() + entry.offset, static_cast<std::int64_t>(length));
    entry.checksum = checksum.value();
    std::memcpy(place, &entry, sizeof(entry));
  }
  io::Checksum checksum;
  checksum.add(&prefix, offsetof(io::FilePrefix, checksum));
  checksum.add(bytes.data() + sizeof(prefix), static_cast<std::int64_t>(end - sizeof(prefix)));
  prefix.checksum = checksum.value();
  std::memcpy(bytes.data(), &prefix, sizeof(prefix));
}

}  // namespace
}  // namespace nodl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  nodl::fuzz::load(bytes);
  nodl::fuzz::make_right(bytes);
  nodl::fuzz::load(bytes);
  return 0;
}
