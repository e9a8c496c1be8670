// The formats. To add one: a function here, its line in open_samples.cpp.
#pragma once

#include <memory>
#include <string>

#include "nodl/io/sample_reader.h"

namespace nodl::io {

std::unique_ptr<SampleReader> open_npy(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleReader> open_csv(const std::string& path,
                                       char delimiter,
                                       const ReadOptions& options);
std::unique_ptr<SampleReader> open_mtx(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleReader> open_npz(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleReader> open_svmlight(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleReader> open_raw(const std::string& path, const ReadOptions& options);

/// Throws DataError for no rows, no columns, or more coordinates than RowIndex can count.
void check_shape(const std::string& path, Index rows, Index columns, bool transpose);

}  // namespace nodl::io
