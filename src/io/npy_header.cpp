#include "io/npy_header.h"

#include <charconv>

#include "io/failure.h"
#include "io/npy_array.h"

namespace nodl::io {
namespace {

/// Just enough of Python's literals for what NumPy writes.
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool accept(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail();
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  char peek() {
    skip_blanks();
    return text_.empty() ? '\0' : text_.front();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail();
    return false;
  }
  std::vector<Index> tuple() {
    std::vector<Index> values;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) fail();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      accept('L');  // Python 2
      values.push_back(value);
      if (!accept(',') && peek() != ')') fail();
    }
    return values;
  }
  [[noreturn]] void fail() { refuse(name_, "the NumPy header is damaged near " + shown(text_)); }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  Cursor cursor(text, name);
  cursor.expect('{');
  while (!cursor.accept('}')) {
    const std::string key = cursor.string();
    cursor.expect(':');
    if (key == "descr" && !has_descr) {
      if (cursor.peek() == '[') {
        refuse(name, "expected numbers, found a structured dtype (records of named fields)");
      }
      header.descr = cursor.string();
      has_descr = true;
    } else if (key == "fortran_order" && !has_order) {
      header.fortran_order = cursor.boolean();
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      header.shape = cursor.tuple();
      has_shape = true;
    } else {
      refuse(name, "the NumPy header has an unexpected key " + shown(key));
    }
    if (!cursor.accept(',') && cursor.peek() != '}') cursor.fail();
  }
  if (!has_descr || !has_order || !has_shape) {
    refuse(name, "the NumPy header lacks descr, fortran_order or shape");
  }
  return header;
}

std::string make_npy_header(std::string_view descr, const std::vector<Index>& shape) {
  constexpr std::size_t kTotal = 128;  // two shapes of 19 digits fit; NumPy asks for n * 64
  const std::string dictionary = "{'descr': '" + std::string(descr) +
                                 "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  std::string header("\x93NUMPY\x01\x00\x76\x00", 10);
  header += dictionary;
  header.resize(kTotal - 1, ' ');
  return header + '\n';
}

}  // namespace nodl::io
