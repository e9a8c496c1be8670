// The Python dictionary at the head of a .npy file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nodl/types.h"

namespace nodl::io {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;  // none is negative
};

/// Throws DataError.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);
/// Magic, version and dictionary in 128 bytes whatever the shape, so that the number of rows can be
/// filled in when it is known.
std::string make_npy_header(std::string_view descr, const std::vector<Index>& shape);

}  // namespace nodl::io
