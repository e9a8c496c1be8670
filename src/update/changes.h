// Which atoms an update may pass over.
#pragma once

#include <vector>

#include "nodl/types.h"

namespace nodl {

/// Which atoms would come out as they are, because nothing that they depend on has changed.
class Changes {
 public:
  explicit Changes(const Matrix<double>& A) : A_(A), changed_(A.cols(), 0), solved_(A.cols(), -1) {}

  bool settled(Index j) const { return settled(j, j, j + 1); }
  /// The same as far as atoms outside of first, ..., past - 1 go, and without looking at those.
  bool settled(Index j, Index first, Index past) const {
    if (solved_[j] < 0) return false;
    for (Index l = first - 1; l >= 0; --l) {  // those that had their turn last, first
      if (changed_[l] > solved_[j] && A_(l, j) != 0) return false;
    }
    for (Index l = A_.rows() - 1; l >= past; --l) {
      if (changed_[l] > solved_[j] && A_(l, j) != 0) return false;
    }
    return true;
  }
  void solved(Index j, bool changed) {
    solved_[j] = ++turn_;
    if (changed) changed_[j] = turn_;
  }

 private:
  const Matrix<double>& A_;
  Index turn_ = 0;
  std::vector<Index> changed_;  // turn of the last change
  std::vector<Index> solved_;   // turn of the last solution; -1: none yet
};

}  // namespace nodl
