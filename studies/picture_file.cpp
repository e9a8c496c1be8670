// Decoding by libjpeg and libpng.
// clang-format off
#include <cstdio>  // before jpeglib.h, which needs FILE
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>

#include "nodl/error.h"
#include "picture.h"

namespace nodl::study {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// libjpeg calls this instead of returning; the jump goes back to decode_jpeg().
struct JpegTrouble {
  jpeg_error_mgr base;  // first, so that a pointer to it is a pointer to this
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> message;
};

void leave(j_common_ptr decoder) {
  auto* trouble = reinterpret_cast<JpegTrouble*>(decoder->err);
  decoder->err->format_message(decoder, trouble->message.data());
  std::longjmp(trouble->back, 1);
}

void be_silent(j_common_ptr, int) {}

/// Nothing in here owns memory of its own, because longjmp passes over destructors.
bool decode_jpeg(std::FILE* file,
                 jpeg_decompress_struct& decoder,
                 JpegTrouble& trouble,
                 Picture& out) {
  if (setjmp(trouble.back) != 0) return false;
  jpeg_create_decompress(&decoder);
  jpeg_stdio_src(&decoder, file);
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = JCS_RGB;
  jpeg_start_decompress(&decoder);
  out.width = static_cast<int>(decoder.output_width);
  out.height = static_cast<int>(decoder.output_height);
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(out.width);
  out.rgb.resize(row_bytes * static_cast<std::size_t>(out.height));
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = out.rgb.data() + row_bytes * decoder.output_scanline;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return true;
}

Picture read_jpeg(std::FILE* file, const std::string& name) {
  Picture picture;
  jpeg_decompress_struct decoder{};
  JpegTrouble trouble{};
  decoder.err = jpeg_std_error(&trouble.base);
  trouble.base.error_exit = leave;
  trouble.base.emit_message = be_silent;
  const bool good = decode_jpeg(file, decoder, trouble, picture);
  jpeg_destroy_decompress(&decoder);
  if (!good) throw DataError(name + ": " + trouble.message.data());
  return picture;
}

Picture read_png(std::FILE* file, const std::string& name) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Picture picture;
  if (png_image_begin_read_from_stdio(&image, file) != 0) {
    image.format = PNG_FORMAT_RGBA;
    picture.width = static_cast<int>(image.width);
    picture.height = static_cast<int>(image.height);
    std::vector<std::uint8_t> rgba(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr) != 0) {
      for (std::size_t i = 0; i + 3 < rgba.size(); i += 4) {
        picture.rgb.insert(picture.rgb.end(), {rgba[i], rgba[i + 1], rgba[i + 2]});
      }
      return picture;
    }
  }
  const std::string message = image.message;
  png_image_free(&image);
  throw DataError(name + ": " + message);
}

}  // namespace

Picture read_picture(const std::filesystem::path& path) {
  const std::string name = path.string();
  const File file(std::fopen(name.c_str(), "rb"), &std::fclose);
  if (!file) throw DataError(name + ": cannot be opened");
  std::array<unsigned char, 8> start{};
  const std::size_t got = std::fread(start.data(), 1, start.size(), file.get());
  std::rewind(file.get());
  if (got >= 3 && start[0] == 0xFF && start[1] == 0xD8) return read_jpeg(file.get(), name);
  if (got == 8 && png_sig_cmp(start.data(), 0, 8) == 0) return read_png(file.get(), name);
  throw DataError(name + ": expected a JPEG or PNG picture");
}

}  // namespace nodl::study
