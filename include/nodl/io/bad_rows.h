// What becomes of rows that cannot be used, where a run must go on without them.
#pragma once

#include <array>
#include <map>
#include <string>

#include "nodl/types.h"

namespace nodl::io {

enum class BadRowReason { NotFinite, TooLarge, NotANumber, Missing, WrongWidth, BadIndex };
/// "not_finite", "too_large", "not_a_number", "missing", "wrong_width", "bad_index".
const char* to_string(BadRowReason reason);
constexpr std::array<BadRowReason, 6> kBadRowReasons = {BadRowReason::NotFinite,
                                                        BadRowReason::TooLarge,
                                                        BadRowReason::NotANumber,
                                                        BadRowReason::Missing,
                                                        BadRowReason::WrongWidth,
                                                        BadRowReason::BadIndex};

struct BadRow {
  std::string input;
  Index sample = 0;  // rises along the input
  Index row = 0;     // as in messages, from 1; 0 where a whole column is meant
  Index column = 0;  // from 1; 0 where a whole row is meant
  BadRowReason reason = BadRowReason::NotFinite;
  std::string message;
  std::string text;  // how the row begins, where the format is text
};

/// Counts bad rows and, if it has a file, writes each as a line of JSON. A row counts once, however
/// often its input is read: a later pass, or a stream that is opened again, adds nothing.
class BadRows {
 public:
  /// Without a file rows are only counted.
  explicit BadRows(std::string file = {});
  ~BadRows();
  BadRows(const BadRows&) = delete;
  BadRows& operator=(const BadRows&) = delete;

  /// Called by a reader before its first sample: a file that cannot be written must be known by
  /// then. What an earlier run left in it stays. Throws ResourceError.
  void begin();
  /// Ends what an earlier run left in the file, which then holds the bad rows of this run's samples
  /// from the first one on. The first bad row does it; who needs none of them must call it. Throws
  /// ResourceError.
  void replace_old();
  /// Throws ResourceError.
  void add(const BadRow& row);

  const std::string& file() const { return path_; }
  Index total() const;
  Index count(BadRowReason reason) const;

 private:
  std::string path_;
  int file_ = -1;
  bool replaced_ = false;
  std::map<std::string, Index> last_sample_;  // of each input
  std::array<Index, kBadRowReasons.size()> counts_{};
};

}  // namespace nodl::io
