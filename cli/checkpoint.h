// Checkpoints: the model goes to its file while training goes on.
#pragma once

#include <functional>
#include <future>
#include <string>

#include "nodl/model.h"

namespace nodl::cli {

/// At most one checkpoint is being written at a time, from a copy of the state.
template <class Scalar>
class Checkpointer {
 public:
  /// `before_write` makes durable what must not be older than the model (the events).
  Checkpointer(std::string path, std::function<void()> before_write);

  /// Returns once the state is copied; waits for the checkpoint before, and throws what went wrong
  /// with it (ResourceError).
  void write(const Model<Scalar>& model);
  /// Returns once the model is on the disk. Throws ResourceError.
  void write_and_wait(const Model<Scalar>& model);
  /// Throws what went wrong with a checkpoint that has ended meanwhile.
  void check();

 private:
  void save(const Model<Scalar>& model) const;

  std::string path_;
  std::function<void()> before_write_;
  std::future<void> running_;
};

}  // namespace nodl::cli
