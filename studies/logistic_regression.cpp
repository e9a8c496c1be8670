// Logistic regression by liblinear.
#include <linear.h>

#include <memory>

#include "classification.h"

namespace nodl::study {
namespace {

/// Rows as liblinear wants them: pairs of index (from 1) and value, ended by -1.
class Rows {
 public:
  explicit Rows(const Matrix<double>& features) {
    const Index columns = features.cols();
    nodes_.reserve(static_cast<std::size_t>(features.rows() * (columns + 2)));
    for (Index i = 0; i < features.rows(); ++i) {
      starts_.push_back(nodes_.data() + nodes_.size());
      for (Index j = 0; j < columns; ++j) {
        nodes_.push_back({static_cast<int>(j) + 1, features(i, j)});
      }
      nodes_.push_back({static_cast<int>(columns) + 1, 1});  // the intercept
      nodes_.push_back({-1, 0});
    }
  }
  feature_node** data() { return starts_.data(); }
  std::size_t size() const { return starts_.size(); }

 private:
  std::vector<feature_node> nodes_;
  std::vector<feature_node*> starts_;
};

void say_nothing(const char*) {}

void free_model(model* fitted) { free_and_destroy_model(&fitted); }

}  // namespace

std::vector<int> logistic_regression(const Labelled& train, const Matrix<double>& test) {
  set_print_string_function(&say_nothing);
  Rows rows(train.features);
  std::vector<double> labels(train.labels.begin(), train.labels.end());
  problem data{};
  data.l = static_cast<int>(rows.size());
  data.n = static_cast<int>(train.features.cols()) + 1;
  data.y = labels.data();
  data.x = rows.data();
  data.bias = 1;
  parameter settings{};
  settings.solver_type = L2R_LR;
  settings.C = 1;
  settings.eps = 0.01;
  settings.p = 0.1;
  const std::unique_ptr<model, void (*)(model*)> fitted(::train(&data, &settings), &free_model);
  Rows questions(test);
  std::vector<int> predicted;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    predicted.push_back(predict(fitted.get(), questions.data()[i]) > 0 ? 1 : -1);
  }
  return predicted;
}

}  // namespace nodl::study
