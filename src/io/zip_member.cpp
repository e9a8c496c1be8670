#include "io/zip_member.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "io/failure.h"

namespace nodl::io {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;  // zlib takes lengths of 32 bits

/// Counts and checks what the two kinds of members give.
class MemberSource : public ByteSource {
 public:
  MemberSource(const MappedFile& file,
               const ZipMember& member,
               std::span<const char> packed,
               const std::string& path)
      : file_(file), member_(member), packed_(packed), name_(path + ": " + member.name) {
    if (member_.size == 0) check_end();
  }

  std::size_t read(char* out, std::size_t size) final {
    const std::size_t wanted = std::min({size, kStep, std::size_t(member_.size - given_)});
    if (wanted == 0) return 0;
    const std::size_t got = unpack(out, wanted);
    if (got == 0) refuse_size();
    crc_ = crc32(crc_, reinterpret_cast<const Bytef*>(out), static_cast<uInt>(got));
    given_ += got;
    const auto start = static_cast<std::size_t>(packed_.data() - file_.bytes().data());
    past_.move_to(file_, start + consumed);
    if (given_ == member_.size) check_end();
    return got;
  }

 protected:
  /// At least one byte unless there is none.
  virtual std::size_t unpack(char* out, std::size_t size) = 0;
  virtual bool at_end() = 0;
  [[noreturn]] void refuse_size() const {
    refuse(name_, "holds more or less than the zip directory states");
  }
  [[noreturn]] void refuse_data() const { refuse(name_, "the compressed data is damaged"); }

  std::span<const char> packed() const { return packed_; }
  std::size_t consumed = 0;  // bytes of packed()

 private:
  void check_end() {
    if (member_.size > 0 && !at_end()) refuse_size();
    if (crc_ != member_.crc) refuse(name_, "the checksum does not match");
  }

  const MappedFile& file_;
  ZipMember member_;
  std::span<const char> packed_;
  std::string name_;
  std::uint64_t given_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
  PastOfFile past_;
};

class StoredMember : public MemberSource {
 public:
  using MemberSource::MemberSource;

 protected:
  std::size_t unpack(char* out, std::size_t size) override {
    std::memcpy(out, packed().data() + consumed, size);
    consumed += size;
    return size;
  }
  bool at_end() override { return consumed == packed().size(); }
};

class DeflatedMember : public MemberSource {
 public:
  DeflatedMember(const MappedFile& file,
                 const ZipMember& member,
                 std::span<const char> packed,
                 const std::string& path)
      : MemberSource(file, member, packed, path) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  DeflatedMember(const DeflatedMember&) = delete;
  DeflatedMember& operator=(const DeflatedMember&) = delete;
  ~DeflatedMember() override { inflateEnd(&stream_); }

 protected:
  std::size_t unpack(char* out, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size && !ended_) {
      const std::size_t in = std::min(kStep, packed().size() - consumed);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed().data() + consumed));
      stream_.avail_in = static_cast<uInt>(in);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t used = in - stream_.avail_in;
      consumed += used;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      ended_ = status == Z_STREAM_END;
      const bool stuck = used == 0 && stream_.avail_out == size && !ended_;
      if (stuck || (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)) {
        refuse_data();
      }
    }
    return size - stream_.avail_out;
  }
  bool at_end() override {
    char more = 0;
    return ended_ || unpack(&more, 1) == 0;
  }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_member(const MappedFile& file,
                                        const ZipMember& member,
                                        std::span<const char> packed,
                                        const std::string& path) {
  const std::string name = path + ": " + member.name;
  constexpr std::uint16_t kEncrypted = 1;
  if ((member.flags & kEncrypted) != 0) refuse(name, "is encrypted");
  if (member.method == 0) {
    if (member.size != member.packed) refuse(name, "its sizes in the zip directory differ");
    return std::make_unique<StoredMember>(file, member, packed, path);
  }
  if (member.method != Z_DEFLATED) {
    refuse(name,
           "expected stored or deflated data, found zip method " + std::to_string(member.method));
  }
  constexpr std::uint64_t kLargestRatio = 1032;  // of deflate, https://zlib.net/zlib_tech.html
  if (member.size / kLargestRatio > packed.size()) {
    refuse(name, "states a size that its data cannot have");
  }
  return std::make_unique<DeflatedMember>(file, member, packed, path);
}

}  // namespace nodl::io
