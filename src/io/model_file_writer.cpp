#include <ostream>

#include "io/model_file_bytes.h"
#include "io/model_file_layout.h"

namespace nodl::io {
namespace {

TableEntry table_entry(const ModelSection& section, std::int64_t offset, const void* data) {
  TableEntry entry;
  section.name.copy(entry.name.data(), entry.name.size() - 1);
  section.type.copy(entry.type.data(), entry.type.size() - 1);
  entry.rows = static_cast<std::uint64_t>(section.rows);
  entry.cols = static_cast<std::uint64_t>(section.cols);
  entry.offset = static_cast<std::uint64_t>(offset);
  entry.bytes = static_cast<std::uint64_t>(section.bytes);
  Checksum checksum;
  checksum.add(data, section.bytes);
  checksum.add(kZeros.data(), aligned(section.bytes) - section.bytes);
  entry.checksum = checksum.value();
  return entry;
}

void write_padded(std::ostream& out, const void* data, std::int64_t bytes) {
  if (bytes > 0) out.write(static_cast<const char*>(data), bytes);
  out.write(kZeros.data(), aligned(bytes) - bytes);
}

}  // namespace

template <class T>
void ModelFileWriter::add(const std::string& name,
                          std::int64_t rows,
                          std::int64_t cols,
                          const T* data,
                          SectionKind kind) {
  const auto bytes = rows * cols * static_cast<std::int64_t>(sizeof(T));
  entries_.push_back({{name, section_type<T>(), rows, cols, bytes, 0}, data, kind});
}

void ModelFileWriter::write(std::ostream& out) const {
  const auto header_bytes = static_cast<std::int64_t>(header_.size());
  const auto table_bytes = static_cast<std::int64_t>(entries_.size() * sizeof(TableEntry));
  std::int64_t offset = sizeof(FilePrefix) + aligned(header_bytes) + aligned(table_bytes);
  std::vector<TableEntry> table;
  for (const Entry& entry : entries_) {
    table.push_back(table_entry(entry.section, offset, entry.data));
    if (entry.kind == SectionKind::Optional) table.back().flags = kOptionalFlag;
    offset += aligned(entry.section.bytes);
  }

  FilePrefix prefix;
  prefix.version = kModelVersion;
  prefix.file_bytes = static_cast<std::uint64_t>(offset);
  prefix.header_bytes = header_.size();
  prefix.sections = entries_.size();
  Checksum checksum;
  checksum.add(&prefix, offsetof(FilePrefix, checksum));
  checksum.add(header_.data(), header_bytes);
  checksum.add(kZeros.data(), aligned(header_bytes) - header_bytes);
  checksum.add(table.data(), table_bytes);
  prefix.checksum = checksum.value();

  write_padded(out, &prefix, sizeof(prefix));
  write_padded(out, header_.data(), header_bytes);
  write_padded(out, table.data(), table_bytes);
  for (const Entry& entry : entries_) write_padded(out, entry.data, entry.section.bytes);
}

template void ModelFileWriter::add(
    const std::string&, std::int64_t, std::int64_t, const double*, SectionKind);
template void ModelFileWriter::add(
    const std::string&, std::int64_t, std::int64_t, const float*, SectionKind);
template void ModelFileWriter::add(
    const std::string&, std::int64_t, std::int64_t, const std::int64_t*, SectionKind);
template void ModelFileWriter::add(
    const std::string&, std::int64_t, std::int64_t, const std::int32_t*, SectionKind);

}  // namespace nodl::io
