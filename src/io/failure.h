// One-line messages about inputs and outputs that are not what they should be.
#pragma once

#include <string>
#include <string_view>

#include "nodl/error.h"
#include "nodl/types.h"

namespace nodl::io {

/// A place in a file, both from 1.
struct Position {
  Index row = 0;
  Index column = 0;
};

/// Text of a file as a message may show it: quoted, short, printable.
std::string shown(std::string_view text);
std::string shown(double value);

[[noreturn]] void refuse(const std::string& path, const std::string& what);
[[noreturn]] void refuse_at_line(const std::string& path, Index line, const std::string& what);
/// "path: row R, column C: expected ..., found ..."
[[noreturn]] void refuse_value(const std::string& path,
                               Position position,
                               const std::string& expected,
                               const std::string& found);
/// A number that is not finite or does not fit into the scalar type.
template <class Scalar>
[[noreturn]] void refuse_number(const std::string& path, Position position, double value);

/// "path: cannot be opened: No such file or directory", after errno.
[[noreturn]] void refuse_input(const std::string& path, const char* verb, int error);
[[noreturn]] void fail_output(const std::string& path, int error);

}  // namespace nodl::io
