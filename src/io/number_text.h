// Numbers to text: the shortest that reads back as the same number.
#pragma once

#include <charconv>

#include "io/atomic_file.h"

namespace nodl::io {

template <class Number>
void write_number(BufferedOutput& output, Number value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  output.write(text, static_cast<std::size_t>(end - text));
}

}  // namespace nodl::io
