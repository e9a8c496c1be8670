#include <zstd.h>

#include <new>
#include <vector>

#include "io/byte_source.h"
#include "io/failure.h"

namespace nodl::io {
namespace {

/// zstd frames, one after the other. Their window, which a header chooses, is at most 128 MiB (what
/// zstd itself accepts without --long=28 and more).
class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, const std::string& path)
      : packed_(std::move(packed)),
        path_(path),
        input_(ZSTD_DStreamInSize()),
        stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer output{out, size, 0};
    for (;;) {
      // First without new input: the last call may have had more to give than there was room for.
      const std::size_t before = available_.pos;
      const std::size_t status = ZSTD_decompressStream(stream_, &output, &available_);
      if (ZSTD_isError(status) != 0) {
        refuse(path_, std::string("is not valid zstd data: ") + ZSTD_getErrorName(status));
      }
      if (available_.pos > before || output.pos > 0) within_frame_ = status != 0;
      if (output.pos > 0) break;
      if (available_.pos < available_.size) continue;
      available_ = {input_.data(), packed_->read(input_.data(), input_.size()), 0};
      if (available_.size > 0) continue;
      if (within_frame_) refuse(path_, "the zstd data is truncated");
      return 0;
    }
    return output.pos;
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer available_{nullptr, 0, 0};
  bool within_frame_ = true;  // an empty file is no zstd data
};

}  // namespace

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed,
                                             const std::string& path) {
  return std::make_unique<ZstdSource>(std::move(packed), path);
}

}  // namespace nodl::io
