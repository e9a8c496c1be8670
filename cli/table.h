// Tables for people: columns as wide as they need to be, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace nodl::cli {

class Table {
 public:
  /// The first column is text (left), the others numbers (right).
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  std::string text(const std::string& indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the header
};

/// 1234567 as "1 234 567"; thin enough to read, wide enough to count.
std::string grouped(long long number);
/// "1 batch", "1 234 567 batches".
std::string counted(long long number, const char* one, const char* many);
/// 0.4 s, 12.3 s, 4 min 10 s, 2 h 05 min.
std::string duration(double seconds);
/// 512 B, 3.4 kB, 12.0 MB.
std::string bytes(double count);

}  // namespace nodl::cli
