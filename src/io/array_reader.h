// Samples of a matrix in a mapped file.
#pragma once

#include <memory>
#include <string>

#include "io/mapped_file.h"
#include "io/npy_array.h"
#include "nodl/io/sample_reader.h"

namespace nodl::io {

/// The array's data lie in the file. Throws DataError if it is no matrix of numbers.
/// `first_row`: what messages call the matrix' first row.
std::unique_ptr<SampleReader> make_array_reader(MappedFile file,
                                                NpyArray array,
                                                const std::string& path,
                                                const ReadOptions& options,
                                                Index first_row = 1);

}  // namespace nodl::io
