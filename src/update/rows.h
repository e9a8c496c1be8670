// Which rows an update of sparse atoms looks at.
#pragma once

#include <utility>
#include <vector>

#include "nodl/types.h"

namespace nodl {

/// The rows that a panel holds: at first all, later only those where some atom is not zero
/// (`active`); elsewhere step 14 leaves b_j as it is.
class Rows {
 public:
  explicit Rows(Index m) : m_(m) {}

  Index count() const { return compact_ ? static_cast<Index>(rows_.size()) : m_; }
  bool compact() const { return compact_; }
  RowIndex row(Index position) const {
    return compact_ ? rows_[position] : static_cast<RowIndex>(position);
  }
  bool active(RowIndex row) const { return !compact_ || position_[row] >= 0; }
  RowIndex position(RowIndex row) const { return compact_ ? position_[row] : row; }

  void make_compact(std::vector<RowIndex> rows) {
    compact_ = true;
    rows_ = std::move(rows);
    rows_.reserve(m_);  // those that are active stay where they are while others read them
    position_.assign(m_, -1);
    for (std::size_t p = 0; p < rows_.size(); ++p) position_[rows_[p]] = static_cast<RowIndex>(p);
  }
  void activate(RowIndex row) {
    position_[row] = static_cast<RowIndex>(rows_.size());
    rows_.push_back(row);
  }

 private:
  Index m_;
  bool compact_ = false;
  std::vector<RowIndex> rows_;
  std::vector<RowIndex> position_;
};

}  // namespace nodl
