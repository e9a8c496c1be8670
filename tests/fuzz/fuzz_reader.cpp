// Any bytes as an input: a reader gives samples that are finite and not too large, or throws
// DataError, and nothing else. The first byte chooses the options, the rest is the file.
// NODL_FUZZ_FORMAT is the format.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "memory_file.h"
#include "nodl/error.h"
#include "nodl/io/sample_reader.h"

namespace {

using namespace nodl;

constexpr double kLimit = 1e3;

io::ReadOptions options_of(std::uint8_t choice) {
  io::ReadOptions options;
  options.format = io::Format::NODL_FUZZ_FORMAT;
  options.transpose = (choice & 1) != 0;
  if ((choice & 2) != 0) options.bad_rows = std::make_shared<io::BadRows>();
  if ((choice & 4) != 0) options.rows = {1, std::nullopt, 2};
  if ((choice & 8) != 0) options.missing = io::Missing::Zero;
  if ((choice & 16) != 0) options.sort_memory = 0;
  options.float32 = (choice & 32) != 0;
  if ((choice & 128) != 0) options.largest = kLimit;
  if (options.format == io::Format::Raw) {
    constexpr const char* kTypes[] = {"f4", ">f8", "u1", "b1", "f2", "<i8", ">u2", "i4"};
    options.columns = 1 + (choice & 7);
    options.dtype = kTypes[choice >> 5];
  }
  if (options.format == io::Format::Svmlight && (choice & 64) != 0) options.columns = 5;
  return options;
}

template <class Scalar>
void check(const Batch<Scalar>& batch, double largest) {
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  if (!batch.is_sparse()) {
    if (batch.samples() == 0) return;
    require(batch.matrix().allFinite());
    require(batch.matrix().cwiseAbs().maxCoeff() <= largest);
    return;
  }
  const SparseColumns<Scalar>& columns = batch.columns();
  for (Index j = 0; j < columns.cols; ++j) {
    for (Index p = columns.starts[j]; p < columns.starts[j + 1]; ++p) {
      require(std::isfinite(columns.values[p]) && columns.values[p] != 0);
      require(std::abs(columns.values[p]) <= largest);
      require(columns.indices[p] >= 0 && columns.indices[p] < batch.dimension());
      require(p == columns.starts[j] || columns.indices[p - 1] < columns.indices[p]);
    }
  }
}

/// A header may promise any number of empty samples; these are enough.
template <class Scalar>
void read_some(io::SampleReader& reader, double largest) {
  io::SampleBuffer<Scalar> buffer;
  for (int batch = 0; batch < 16; ++batch) {
    const Batch<Scalar> read = reader.read(3, buffer);
    check(read, largest);
    if (read.samples() == 0 || reader.skip(2) < 2) break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const nodl::fuzz::MemoryFile file(data + 1, size - 1);
  const io::ReadOptions options = options_of(data[0]);
  try {
    const auto reader = io::open_samples(file.path(), options);
    if (options.float32) {
      read_some<float>(*reader, options.largest);
    } else {
      read_some<double>(*reader, options.largest);
    }
  } catch (const DataError&) {
  } catch (const InvalidOptions&) {
  }
  return 0;
}
