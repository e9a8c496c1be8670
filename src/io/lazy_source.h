// A source that is made when its first sample is wanted: who only looks at an input must not wait
// until it is sorted.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "io/sparse_reader.h"

namespace nodl::io {

class LazySource : public SparseSource {
 public:
  using Make = std::function<std::unique_ptr<SparseSource>()>;
  LazySource(Index dimension, Index samples, Make make)
      : dimension_(dimension), samples_(samples), make_(std::move(make)) {}

  Index dimension() const override { return dimension_; }
  std::optional<Index> samples() const override { return samples_; }
  bool next(SampleEntries& out) override { return made().next(out); }
  Index skip(Index count) override { return made().skip(count); }
  Position position(Index coordinate) const override { return source_->position(coordinate); }

 private:
  SparseSource& made() {
    if (!source_) {
      source_ = make_();
      make_ = nullptr;
    }
    return *source_;
  }

  Index dimension_;
  Index samples_;
  Make make_;
  std::unique_ptr<SparseSource> source_;
};

}  // namespace nodl::io
