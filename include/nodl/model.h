// All that a learner knows: what a model file holds.
#pragma once

#include <cstdint>
#include <variant>

#include "nodl/dictionary.h"
#include "nodl/memory.h"
#include "nodl/options.h"
#include "nodl/stream_place.h"

namespace nodl {

/// Where the learner stands in its stream.
struct Progress {
  std::int64_t batches = 0;  // learned so far
  std::int64_t samples = 0;  // learned so far
  std::int64_t births = 0;   // over the whole life
  std::int64_t deaths = 0;
  std::int64_t next_id = 0;         // of the next atom
  std::int64_t batch_of_call = 0;   // batches of the current training call (Inputs::Separate)
  std::int64_t carried_births = 0;  // BirthRate::Carried
  bool finished = false;            // the stream came to its end
  std::int64_t next_slot = 0;       // slots below were used by some atom, dead or alive

  bool operator==(const Progress&) const = default;
};

template <class Scalar>
struct Model {
  Options options;  // resolved: nothing left to derive
  Dictionary<Scalar> dictionary;
  Memory memory;
  Progress progress;
  StreamPlace stream;        // over the whole life; who calls learn_batch() appends to it
  bool initialised = false;  // the initial dictionary is drawn
};

using AnyModel = std::variant<Model<double>, Model<float>>;

}  // namespace nodl
