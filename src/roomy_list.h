#pragma once

#include <vector>

#include "nodl/types.h"

namespace nodl {

/// A list with room for all that can ever be in it: adding to it is a store, where a vector has to
/// be asked for its capacity each time.
template <class T>
class RoomyList {
 public:
  explicit RoomyList(Index room) : items_(room) {}

  void clear() { size_ = 0; }
  void push(T item) { items_[size_++] = item; }
  Index size() const { return size_; }
  T operator[](Index i) const { return items_[i]; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

 private:
  std::vector<T> items_;
  Index size_ = 0;
};

}  // namespace nodl
