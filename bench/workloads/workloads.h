// Workloads P1-P8: what is measured, as docs/PERFORMANCE.md lists it.
#pragma once

#include <string>
#include <vector>

#include "context.h"
#include "result.h"

namespace nodl::bench {

// P1, P2, P8: one pass over 12x12 patches, from the same start dictionary as the rivals.
template <class Scalar>
Result train_patches(const Context& context, const std::string& id, Index samples, Index atoms);
// P3.
template <class Scalar>
Result encode_patches(const Context& context, Index atoms);
// P4.
template <class Scalar>
std::vector<Result> dense_images(const Context& context);
// P5 and P6: the paper's image streams with sparse atoms.
template <class Scalar>
std::vector<Result> image_stream(const Context& context, const std::string& id);
// P7.
template <class Scalar>
std::vector<Result> word_stream(const Context& context);

/// What two threads gain over one, as a share of what two processes gain; a share a round.
struct Scaling {
  std::string id, what;
  Index atoms = 0;
  std::vector<double> shares;
};
template <class Scalar>  // P1, P2, P3, P8
Scaling patch_scaling(const Context& context, const std::string& id, int rounds);
template <class Scalar>  // P4; nothing without the images
std::vector<Scaling> image_scaling(const Context& context, int rounds);

/// Held-out objective of a dictionary in a file (a row an atom), whoever learned it.
double judge_patches(const Context& context, const std::string& dictionary);
double judge_images(const Context& context, const std::string& dictionary);

}  // namespace nodl::bench
