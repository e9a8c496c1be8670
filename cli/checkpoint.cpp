#include "checkpoint.h"

#include <chrono>
#include <utility>

#include "nodl/io/model_file.h"

namespace nodl::cli {

template <class Scalar>
Checkpointer<Scalar>::Checkpointer(std::string path, std::function<void()> before_write)
    : path_(std::move(path)), before_write_(std::move(before_write)) {}

template <class Scalar>
void Checkpointer<Scalar>::save(const Model<Scalar>& model) const {
  before_write_();
  io::save_model(model, path_);
}

template <class Scalar>
void Checkpointer<Scalar>::write(const Model<Scalar>& model) {
  if (running_.valid()) running_.get();
  running_ = std::async(std::launch::async, [this, copy = model] { save(copy); });
}

template <class Scalar>
void Checkpointer<Scalar>::write_and_wait(const Model<Scalar>& model) {
  if (running_.valid()) running_.get();
  save(model);
}

template <class Scalar>
void Checkpointer<Scalar>::check() {
  using namespace std::chrono_literals;
  if (running_.valid() && running_.wait_for(0s) == std::future_status::ready) running_.get();
}

template class Checkpointer<double>;
template class Checkpointer<float>;

}  // namespace nodl::cli
