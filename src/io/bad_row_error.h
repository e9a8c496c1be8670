// A row that cannot be used, while the next one can.
#pragma once

#include "nodl/error.h"
#include "nodl/io/bad_rows.h"

namespace nodl::io {

/// Thrown by a source that stands after the row: reading may go on.
struct BadRowError : DataError {
  explicit BadRowError(BadRow bad)
      : DataError(bad.input + ": " + bad.message), row(std::move(bad)) {}
  BadRow row;
};

}  // namespace nodl::io
