// The container of a model file (docs/FORMAT.md): a JSON header and named sections of numbers,
// every byte under a checksum. What the sections mean is for model_file.cpp to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "io/file_descriptor.h"
#include "nodl/io/model_file.h"

namespace nodl::io {

constexpr int kModelVersion = 1;

/// Whether a reader that does not know a section may skip it.
enum class SectionKind { Required, Optional };

/// Section contents are borrowed: they must live until write().
class ModelFileWriter {
 public:
  explicit ModelFileWriter(std::string header) : header_(std::move(header)) {}
  template <class T>
  void add(const std::string& name,
           std::int64_t rows,
           std::int64_t cols,
           const T* data,
           SectionKind kind = SectionKind::Required);
  void write(std::ostream& out) const;

 private:
  struct Entry {
    ModelSection section;
    const void* data;
    SectionKind kind;
  };
  std::string header_;
  std::vector<Entry> entries_;
};

/// Opening checks prefix, header and section table; a section is checked when it is read. Throws
/// ModelError, with the path and what is wrong in one line.
class ModelFileReader {
 public:
  explicit ModelFileReader(const std::string& path);

  const std::string& header() const { return header_; }
  const std::vector<ModelSection>& sections() const { return sections_; }
  std::int64_t file_bytes() const { return file_bytes_; }
  int version() const { return version_; }
  bool has(const std::string& name) const;

  /// The section's numbers, which must be of type T and of this shape. `out` is resized only
  /// after the shape is known to fit into the file.
  template <class T>
  void read(const std::string& name, std::int64_t rows, std::int64_t cols, std::vector<T>& out);
  template <class T>
  void read(const std::string& name, std::int64_t rows, std::int64_t cols, Matrix<T>& out);
  /// The number of columns of a section whose length only the file knows.
  std::int64_t columns_of(const std::string& name) const;

  /// Checks the sections that nobody read; refuses them unless they are marked optional.
  void check_unread();
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Place {
    std::int64_t offset = 0;
    bool optional = false;
    bool read = false;
  };
  void read_at(std::int64_t offset, void* out, std::int64_t bytes) const;
  void read_head();
  void read_table(const std::vector<char>& table, std::int64_t end_of_head);
  std::size_t find(const std::string& name) const;
  std::size_t find(const std::string& name,
                   const char* type,
                   std::int64_t rows,
                   std::int64_t cols) const;
  void read_section(std::size_t index, void* out);

  std::string path_;
  FileDescriptor file_;
  int version_ = 0;
  std::int64_t file_bytes_ = 0;
  std::string header_;
  std::vector<ModelSection> sections_;
  std::vector<Place> places_;
};

/// The type of a section as the file spells it.
template <class T>
constexpr const char* section_type();
template <>
constexpr const char* section_type<double>() {
  return "<f8";
}
template <>
constexpr const char* section_type<float>() {
  return "<f4";
}
template <>
constexpr const char* section_type<std::int64_t>() {
  return "<i8";
}
template <>
constexpr const char* section_type<std::int32_t>() {
  return "<i4";
}

}  // namespace nodl::io
