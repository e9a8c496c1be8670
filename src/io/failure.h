// One-line messages about inputs and outputs that are not what they should be.
#pragma once

#include <string>
#include <string_view>

#include "nodl/error.h"
#include "nodl/io/bad_rows.h"
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
/// A row that cannot be used: "path: row R, column C: what", without what is 0 of the two.
/// `sample` rises along the input; `text` is the row where the format is text. Throws BadRowError.
[[noreturn]] void refuse_row(const std::string& path,
                             Index sample,
                             Position position,
                             BadRowReason reason,
                             const std::string& what,
                             std::string_view text = {});
/// A number that is not finite or larger than it may be. Throws BadRowError.
[[noreturn]] void refuse_number(const std::string& path,
                                Index sample,
                                Position position,
                                double value,
                                double largest,
                                std::string_view text = {});

/// "path: cannot be opened: No such file or directory", after errno.
[[noreturn]] void refuse_input(const std::string& path, const char* verb, int error);
[[noreturn]] void fail_output(const std::string& path, int error);

}  // namespace nodl::io
