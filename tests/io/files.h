// Hand-made files for the tests of readers and writers.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "nodl/error.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io::test {

/// In memory where the system offers that: thousands of small files are slow on some disks.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const bool in_memory = std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path base =
        in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string name = (base / "nodl-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string folder() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

inline std::string little_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

inline std::string npy_with_header(const std::string& header,
                                   const std::string& data,
                                   int version = 1) {
  return "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0') +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + data;
}

/// `shape` as Python writes it: "(3, 4)".
inline std::string npy(const std::string& descr,
                       const std::string& shape,
                       const std::string& data,
                       bool fortran = false,
                       int version = 1) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  const std::size_t start = version == 1 ? 10 : 12;
  header.resize((start + header.size()) / 64 * 64 + 64 - start - 1, ' ');
  return npy_with_header(header + "\n", data, version);
}

/// zlib's window bits: 31 gzip, -15 raw deflate.
inline std::string deflated(const std::string& bytes, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzip(const std::string& bytes) { return deflated(bytes, 31); }

struct ZipMember {
  std::string name;
  std::string bytes;
  bool deflate = false;
  // What a damaged file may state instead of the truth.
  std::uint64_t stated_size = ~std::uint64_t{0};
  std::uint32_t crc_error = 0;
};

inline std::string zip(const std::vector<ZipMember>& members) {
  std::string out, directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflate ? deflated(member.bytes, -15) : member.bytes;
    const auto crc =
        static_cast<std::uint32_t>(crc32(0,
                                         reinterpret_cast<const Bytef*>(member.bytes.data()),
                                         static_cast<uInt>(member.bytes.size())));
    const std::uint64_t size =
        member.stated_size == ~std::uint64_t{0} ? member.bytes.size() : member.stated_size;
    const std::string common = little_endian(20, 2) + little_endian(0, 2) +
                               little_endian(member.deflate ? 8 : 0, 2) + little_endian(0, 4) +
                               little_endian(crc ^ member.crc_error, 4) +
                               little_endian(packed.size(), 4) + little_endian(size, 4) +
                               little_endian(member.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 2) +
                 little_endian(0, 2) + little_endian(0, 2) + little_endian(0, 4) +
                 little_endian(out.size(), 4) + member.name;
    out += "PK\x03\x04" + common + member.name + packed;
  }
  const std::string end = "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
                          little_endian(members.size(), 2) + little_endian(directory.size(), 4) +
                          little_endian(out.size(), 4) + little_endian(0, 2);
  return out + directory + end;
}

/// The message of the error that `run` throws.
template <class Expected = DataError, class Run>
std::string error_of(Run&& run) {
  try {
    run();
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

/// All samples, m x n, read `count` at a time.
template <class Scalar = double>
Matrix<Scalar> read_all(SampleReader& reader, Index count = 3) {
  SampleBuffer<Scalar> buffer;
  Matrix<Scalar> all(reader.dimension(), 0);
  for (;;) {
    const Batch<Scalar> batch = reader.read(count, buffer);
    if (batch.samples() == 0) return all;
    const Index before = all.cols();
    all.conservativeResize(all.rows(), before + batch.samples());
    if (batch.is_sparse()) {
      all.rightCols(batch.samples()) = buffer.sparse.to_dense();
    } else {
      all.rightCols(batch.samples()) = batch.matrix();
    }
  }
}
template <class Scalar = double>
Matrix<Scalar> read_all(const std::string& path, const ReadOptions& options = {}, Index count = 3) {
  return read_all<Scalar>(*open_samples(path, options), count);
}

/// Everything wrong with a file, with `path` taken off the front.
template <class Scalar = double>
std::string complaint(const std::string& path, const ReadOptions& options = {}) {
  const std::string message = error_of([&] { read_all<Scalar>(path, options); });
  const std::string front = path + ": ";
  return message.starts_with(front) ? message.substr(front.size()) : message;
}

/// Rows of numbers as the columns of a matrix: what readers make of a file that shows these rows.
inline Matrix<double> rows(const std::vector<std::vector<double>>& values) {
  Matrix<double> out(values.empty() ? 0 : static_cast<Index>(values[0].size()),
                     static_cast<Index>(values.size()));
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = 0; i < out.rows(); ++i) {
      out(i, j) = values[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
    }
  }
  return out;
}

}  // namespace nodl::io::test
