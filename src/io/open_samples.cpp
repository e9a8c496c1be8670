#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "io/byte_source.h"
#include "io/failure.h"
#include "io/readers.h"

namespace nodl::io {
namespace {

struct FormatName {
  std::string_view ending;
  Format format;
};
constexpr std::array<FormatName, 10> kFormats = {{{".npy", Format::Npy},
                                                  {".csv", Format::Csv},
                                                  {".tsv", Format::Tsv},
                                                  {".mtx", Format::Mtx},
                                                  {".npz", Format::Npz},
                                                  {".svm", Format::Svmlight},
                                                  {".svmlight", Format::Svmlight},
                                                  {".libsvm", Format::Svmlight},
                                                  {".raw", Format::Raw},
                                                  {".bin", Format::Raw}}};

bool is_text(Format format) {
  return format == Format::Csv || format == Format::Tsv || format == Format::Mtx ||
         format == Format::Svmlight;
}
bool can_grow(Format format) {
  return format == Format::Csv || format == Format::Tsv || format == Format::Svmlight ||
         format == Format::Raw;
}

std::string_view ending_of(Format format) {
  return std::find_if(kFormats.begin(),
                      kFormats.end(),
                      [format](const FormatName& name) { return name.format == format; })
      ->ending;
}

[[noreturn]] void refuse_name(const std::string& path) {
  open_input(path);  // a file that is not there is the more useful thing to say
  std::string endings;
  for (const FormatName& known : kFormats) {
    endings += (endings.empty() ? "" : ", ") + std::string(known.ending);
  }
  refuse(path, "expected a name that ends in " + endings + " (text also with .gz or .zst)");
}

void check_follow(const std::string& path, Format format, const ReadOptions& options) {
  const auto require = [&path](bool good, const char* what) {
    if (!good) throw InvalidOptions(path + ": " + what);
  };
  require(can_grow(format), "--follow is for .csv, .tsv, .svm and raw files; others cannot grow");
  require(!options.transpose, "--follow does not go with --transpose");
  require(compression_ending(path).empty(), "--follow is not for compressed files");
}

}  // namespace

Format format_by_name(const std::string& path) {
  std::string_view name = path;
  name.remove_suffix(compression_ending(name).size());
  const auto* known = std::find_if(kFormats.begin(), kFormats.end(), [name](const FormatName& f) {
    return has_ending(name, f.ending);
  });
  return known == kFormats.end() ? Format::Auto : known->format;
}

void check_shape(const std::string& path, Index rows, Index columns, bool transpose) {
  if (rows == 0) refuse(path, "has no rows");
  if (columns == 0) refuse(path, "has no columns");
  const Index dimension = transpose ? rows : columns;
  if (dimension > std::numeric_limits<RowIndex>::max()) {
    refuse(path,
           "expected samples of at most 2147483647 numbers, found " + std::to_string(dimension));
  }
}

std::unique_ptr<SampleReader> open_samples(const std::string& path, const ReadOptions& options) {
  const Format format = options.format == Format::Auto ? format_by_name(path) : options.format;
  if (format == Format::Auto) refuse_name(path);
  const std::string_view compression = compression_ending(path);
  if (!is_text(format) && !compression.empty()) {
    open_input(path);
    refuse(path,
           "expected a text format under " + std::string(compression) + ", found " +
               std::string(ending_of(format)));
  }
  if (options.follow) check_follow(path, format, options);
  switch (format) {
    case Format::Npy:
      return open_npy(path, options);
    case Format::Csv:
      return open_csv(path, ',', options);
    case Format::Tsv:
      return open_csv(path, '\t', options);
    case Format::Mtx:
      return open_mtx(path, options);
    case Format::Npz:
      return open_npz(path, options);
    case Format::Svmlight:
      return open_svmlight(path, options);
    case Format::Raw:
    case Format::Auto:
      break;
  }
  return open_raw(path, options);
}

}  // namespace nodl::io
