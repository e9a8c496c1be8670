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
  bool text;  // may be compressed
};
constexpr std::array<FormatName, 5> kFormats = {{{".npy", Format::Npy, false},
                                                 {".csv", Format::Csv, true},
                                                 {".tsv", Format::Tsv, true},
                                                 {".mtx", Format::Mtx, true},
                                                 {".npz", Format::Npz, false}}};

Format format_by_name(const std::string& path) {
  std::string_view name = path;
  if (has_gzip_name(path)) name.remove_suffix(3);
  for (const FormatName& known : kFormats) {
    if (name.ends_with(known.ending)) return known.format;
  }
  open_input(path);  // a file that is not there is the more useful thing to say
  std::string endings;
  for (const FormatName& known : kFormats) {
    endings += (endings.empty() ? "" : ", ") + std::string(known.ending);
  }
  refuse(path, "expected a name that ends in " + endings + " (text also with .gz)");
}

}  // namespace

void check_shape(const std::string& path, Index rows, Index columns, bool transpose) {
  if (rows == 0) refuse(path, "has no rows");
  if (columns == 0) refuse(path, "has no columns");
  const Index dimension = transpose ? rows : columns;
  if (dimension > std::numeric_limits<RowIndex>::max()) {
    refuse(path,
           "expected samples of at most 2147483647 numbers, found " + std::to_string(dimension));
  }
}

Index SampleReader::skip(Index count) {
  constexpr Index kAtOnce = 256;
  SampleBuffer<double> buffer;
  Index skipped = 0;
  while (skipped < count) {
    const Index samples = read(std::min(count - skipped, kAtOnce), buffer).samples();
    if (samples == 0) break;
    skipped += samples;
  }
  return skipped;
}

std::unique_ptr<SampleReader> open_samples(const std::string& path, const ReadOptions& options) {
  const Format format = options.format == Format::Auto ? format_by_name(path) : options.format;
  for (const FormatName& known : kFormats) {
    if (known.format == format && !known.text && has_gzip_name(path)) {
      open_input(path);
      refuse(path, "expected a text format under .gz, found " + std::string(known.ending));
    }
  }
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
    case Format::Auto:
      break;
  }
  return open_npz(path, options);
}

}  // namespace nodl::io
