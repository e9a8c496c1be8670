#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "io/model_file_bytes.h"
#include "io/model_file_layout.h"
#include "nodl/error.h"

namespace nodl::io {
namespace {

constexpr std::int64_t kBlock = 1 << 20;  // bytes of a section that is only checked, read at a time
// Ours have 2 kB. What JSON becomes in memory is many times larger than its text.
constexpr std::uint64_t kMostHeaderBytes = 1 << 20;

std::uint64_t bytes_of_type(const std::string& type) {
  if (type == "<f8" || type == "<i8") return 8;
  if (type == "<f4" || type == "<i4") return 4;
  return 0;
}

/// Text of a fixed field: up to the first zero byte.
template <std::size_t N>
std::string text_of(const std::array<char, N>& field) {
  return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

/// Nothing that a terminal would take for a command.
bool is_name(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

/// rows * cols * size == bytes, without overflow whatever the numbers in a damaged file are.
bool shape_fits(const TableEntry& entry, std::uint64_t size) {
  if (entry.rows == 0 || entry.cols == 0) return entry.bytes == 0;
  return entry.bytes % size == 0 && entry.bytes / size % entry.rows == 0 &&
         entry.bytes / size / entry.rows == entry.cols;
}

}  // namespace

ModelFileReader::ModelFileReader(const std::string& path)
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_.is_open()) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    refuse("is no regular file");
  }
  file_bytes_ = status.st_size;
  read_head();
}

void ModelFileReader::refuse(const std::string& what) const {
  // A message may repeat what the file holds.
  constexpr std::size_t kLongest = 240;
  std::string line = what.substr(0, kLongest) + (what.size() > kLongest ? "..." : "");
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  throw ModelError(path_ + ": " + line);
}

void ModelFileReader::read_at(std::int64_t offset, void* out, std::int64_t bytes) const {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(file_.get(), to, static_cast<std::size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) refuse("became shorter while it was read");
    to += got;
    offset += got;
    bytes -= got;
  }
}

void ModelFileReader::read_head() {
  FilePrefix prefix;
  if (file_bytes_ < static_cast<std::int64_t>(sizeof(prefix))) {
    refuse("is no nodl model: " + std::to_string(file_bytes_) + " bytes are too few");
  }
  read_at(0, &prefix, sizeof(prefix));
  if (prefix.magic != kMagic) refuse("is no nodl model: it does not begin like one");
  if (prefix.byte_order != kByteOrder) refuse("is damaged: wrong byte order mark");
  if (prefix.version != kModelVersion) {
    refuse("has format version " + std::to_string(prefix.version) +
           "; this program reads version " + std::to_string(kModelVersion));
  }
  if (prefix.file_bytes != static_cast<std::uint64_t>(file_bytes_)) {
    refuse("is cut off or damaged: it has " + std::to_string(file_bytes_) +
           " bytes and should have " + std::to_string(prefix.file_bytes));
  }
  version_ = static_cast<int>(prefix.version);

  // Both sizes are below the file's before they are added up, so that nothing can overflow.
  const auto room = static_cast<std::uint64_t>(file_bytes_) - sizeof(prefix);
  if (prefix.header_bytes > room || prefix.sections > room / sizeof(TableEntry)) {
    refuse("is damaged: its header does not fit into the file");
  }
  if (prefix.header_bytes > kMostHeaderBytes) {
    refuse("has a header of " + std::to_string(prefix.header_bytes) + " bytes, expected at most " +
           std::to_string(kMostHeaderBytes));
  }
  const auto header_bytes = static_cast<std::int64_t>(prefix.header_bytes);
  const auto table_bytes = static_cast<std::int64_t>(prefix.sections * sizeof(TableEntry));
  const std::int64_t end = sizeof(prefix) + aligned(header_bytes) + aligned(table_bytes);
  if (end > file_bytes_) refuse("is damaged: its header does not fit into the file");

  std::vector<char> head(static_cast<std::size_t>(end) - sizeof(prefix));
  read_at(sizeof(prefix), head.data(), static_cast<std::int64_t>(head.size()));
  Checksum checksum;
  checksum.add(&prefix, offsetof(FilePrefix, checksum));
  checksum.add(head.data(), static_cast<std::int64_t>(head.size()));
  if (checksum.value() != prefix.checksum) refuse("is damaged: the checksum of its header differs");

  header_.assign(head.data(), static_cast<std::size_t>(header_bytes));
  head.erase(head.begin(), head.begin() + aligned(header_bytes));
  head.resize(static_cast<std::size_t>(table_bytes));
  read_table(head, end);
}

void ModelFileReader::read_table(const std::vector<char>& table, std::int64_t end_of_head) {
  std::set<std::string> names;
  std::int64_t offset = end_of_head;
  for (std::size_t at = 0; at < table.size(); at += sizeof(TableEntry)) {
    TableEntry entry;
    std::memcpy(&entry, table.data() + at, sizeof(entry));
    const std::string name = text_of(entry.name);
    const std::string type = text_of(entry.type);
    const std::uint64_t size = bytes_of_type(type);
    const bool optional = (entry.flags & kOptionalFlag) != 0;
    if (!is_name(name)) refuse("is damaged: a section has no printable name");
    if (!names.insert(name).second) refuse("is damaged: two sections are named " + name);
    // Sections follow each other without gaps, so that no byte is outside of all checksums.
    const bool placed = entry.offset == static_cast<std::uint64_t>(offset) &&
                        entry.bytes <= static_cast<std::uint64_t>(file_bytes_ - offset);
    // What an optional section of a later version holds is not for us to judge.
    if (!placed || (size > 0 ? !shape_fits(entry, size) : !optional)) {
      refuse("is damaged: section " + name + " does not fit into the file");
    }
    const auto bytes = static_cast<std::int64_t>(entry.bytes);
    sections_.push_back({name,
                         type,
                         static_cast<std::int64_t>(entry.rows),
                         static_cast<std::int64_t>(entry.cols),
                         bytes,
                         entry.checksum});
    places_.push_back({offset, optional, false});
    offset += aligned(bytes);
    if (offset > file_bytes_) refuse("is damaged: section " + name + " does not fit into the file");
  }
  if (offset != file_bytes_) refuse("is damaged: bytes follow its last section");
}

bool ModelFileReader::has(const std::string& name) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const auto& section) {
    return section.name == name;
  });
}

std::size_t ModelFileReader::find(const std::string& name) const {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name == name) return i;
  }
  refuse("is not complete: section " + name + " is missing");
}

std::size_t ModelFileReader::find(const std::string& name,
                                  const char* type,
                                  std::int64_t rows,
                                  std::int64_t cols) const {
  const std::size_t index = find(name);
  const ModelSection& section = sections_[index];
  if (section.type != type || section.rows != rows || section.cols != cols) {
    refuse("is inconsistent: section " + name + " is " + std::to_string(section.rows) + " x " +
           std::to_string(section.cols) + " of " + section.type + ", expected " +
           std::to_string(rows) + " x " + std::to_string(cols) + " of " + type);
  }
  return index;
}

std::int64_t ModelFileReader::columns_of(const std::string& name) const {
  return sections_[find(name)].cols;
}

void ModelFileReader::read_section(std::size_t index, void* out) {
  const ModelSection& section = sections_[index];
  const std::int64_t offset = places_[index].offset;
  std::array<char, kAlignment> padding{};
  const std::int64_t padding_bytes = aligned(section.bytes) - section.bytes;
  read_at(offset, out, section.bytes);
  read_at(offset + section.bytes, padding.data(), padding_bytes);
  Checksum checksum;
  checksum.add(out, section.bytes);
  checksum.add(padding.data(), padding_bytes);
  if (checksum.value() != section.checksum) {
    refuse("is damaged: the checksum of section " + section.name + " differs");
  }
  places_[index].read = true;
}

template <class T>
void ModelFileReader::read(const std::string& name,
                           std::int64_t rows,
                           std::int64_t cols,
                           std::vector<T>& out) {
  const std::size_t index = find(name, section_type<T>(), rows, cols);
  out.resize(static_cast<std::size_t>(rows * cols));
  read_section(index, out.data());
}

template <class T>
void ModelFileReader::read(const std::string& name,
                           std::int64_t rows,
                           std::int64_t cols,
                           Matrix<T>& out) {
  const std::size_t index = find(name, section_type<T>(), rows, cols);
  out.resize(cols, rows);  // a row of the section is a column here
  read_section(index, out.data());
}

void ModelFileReader::check_unread() {
  std::vector<char> block;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (places_[i].read) continue;
    if (!places_[i].optional) {
      refuse("has a section " + sections_[i].name + " that this program does not know");
    }
    Checksum checksum;
    const std::int64_t bytes = aligned(sections_[i].bytes);
    for (std::int64_t done = 0; done < bytes; done += kBlock) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, bytes - done)));
      read_at(places_[i].offset + done, block.data(), static_cast<std::int64_t>(block.size()));
      checksum.add(block.data(), static_cast<std::int64_t>(block.size()));
    }
    if (checksum.value() != sections_[i].checksum) {
      refuse("is damaged: the checksum of section " + sections_[i].name + " differs");
    }
    places_[i].read = true;
  }
}

using Size = std::int64_t;
template void ModelFileReader::read(const std::string&, Size, Size, std::vector<double>&);
template void ModelFileReader::read(const std::string&, Size, Size, std::vector<float>&);
template void ModelFileReader::read(const std::string&, Size, Size, std::vector<std::int64_t>&);
template void ModelFileReader::read(const std::string&, Size, Size, std::vector<std::int32_t>&);
template void ModelFileReader::read(const std::string&, Size, Size, Matrix<double>&);
template void ModelFileReader::read(const std::string&, Size, Size, Matrix<float>&);

}  // namespace nodl::io
