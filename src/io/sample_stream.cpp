#include "nodl/io/sample_stream.h"

#include <algorithm>

#include "nodl/error.h"

namespace nodl::io {
namespace {

std::string width_text(Index dimension) {
  return std::to_string(dimension) + (dimension == 1 ? " number" : " numbers") + " a sample";
}

/// Puts batches one after the other into a buffer.
template <class Scalar>
class Assembler {
 public:
  void begin(Index dimension, bool sparse) {
    sparse_ = sparse;
    filled_ = 0;
    dimension_ = dimension;
    buffer_.sparse.clear();
    buffer_.sparse.rows = dimension;
  }

  void add(const Batch<Scalar>& batch) {
    if (sparse_) {
      add_sparse(batch.columns());
    } else {
      make_room(batch.samples());
      if (batch.is_sparse()) {
        scatter(batch.columns());
      } else {
        buffer_.dense.middleCols(filled_, batch.samples()) = batch.matrix();
      }
    }
    filled_ += batch.samples();
  }

  Batch<Scalar> batch() const {
    if (sparse_) return Batch<Scalar>::sparse(buffer_.sparse);
    return Batch<Scalar>::dense(buffer_.dense.data(), dimension_, filled_, dimension_);
  }

 private:
  void make_room(Index samples) {
    const Index needed = filled_ + samples;
    if (buffer_.dense.rows() != dimension_) buffer_.dense.resize(dimension_, 0);
    if (needed > buffer_.dense.cols()) {
      buffer_.dense.conservativeResize(dimension_, std::max(needed, 2 * filled_));
    }
  }

  void add_sparse(const SparseColumns<Scalar>& batch) {
    for (Index j = 0; j < batch.cols; ++j) {
      for (Index p = batch.starts[j]; p < batch.starts[j + 1]; ++p) {
        buffer_.sparse.push(batch.indices[p], batch.values[p]);
      }
      buffer_.sparse.end_column();
    }
  }

  void scatter(const SparseColumns<Scalar>& batch) {
    buffer_.dense.middleCols(filled_, batch.cols).setZero();
    for (Index j = 0; j < batch.cols; ++j) {
      for (Index p = batch.starts[j]; p < batch.starts[j + 1]; ++p) {
        buffer_.dense(batch.indices[p], filled_ + j) = batch.values[p];
      }
    }
  }

  SampleBuffer<Scalar> buffer_;
  bool sparse_ = false;
  Index filled_ = 0;
  Index dimension_ = 0;
};

}  // namespace

template <class Scalar>
struct SampleStream<Scalar>::State {
  std::vector<std::string> paths;
  ReadOptions read;
  StreamOptions options;

  Index dimension = 0;
  bool sparse = true;
  std::optional<Index> samples;

  std::unique_ptr<SampleReader> reader;  // of input `current`, or none after the last
  std::size_t current = 0;
  Index pass = 1;
  bool at_start = true;  // nothing of this input (Separate) or of the stream (Joined) was given

  SampleBuffer<Scalar> read_buffer;
  SampleBuffer<Scalar> processed_buffer;
  Assembler<Scalar> assembler;
  Batch<Scalar> batch;
  Batch<Scalar> raw_batch;
  bool starts_call = false;
  std::size_t batch_input = 0;
  Index batch_pass = 1;

  std::unique_ptr<SampleReader> open(std::size_t input) const;
  bool tells_dimension(const std::string& path) const;
  void inspect_inputs();
  void count_samples(std::optional<Index> of_input);
  bool is_last_input() const { return current + 1 == paths.size() && pass == options.passes; }
  bool next_reader();
  bool was_interrupted() const { return read.interrupted && read.interrupted(); }
  bool uses_short_batches() const {
    return options.last_batch == LastBatch::Use && !options.endless;
  }
  void take(const Batch<Scalar>& raw);
  bool next_separate();
  bool next_joined();
  template <class Pass>
  bool pass_over(Index samples, Pass&& pass_samples);
};

/// Only the last input is followed: those before it would never end.
template <class Scalar>
std::unique_ptr<SampleReader> SampleStream<Scalar>::State::open(std::size_t input) const {
  ReadOptions options_of_input = read;
  options_of_input.follow = read.follow && input + 1 == paths.size();
  options_of_input.float32 = std::is_same_v<Scalar, float>;
  options_of_input.largest = largest_usable<Scalar>(options.preprocess);
  return open_samples(paths[input], options_of_input);
}

/// Svmlight tells only the largest index that a file happens to use.
template <class Scalar>
bool SampleStream<Scalar>::State::tells_dimension(const std::string& path) const {
  const Format format = read.format == Format::Auto ? format_by_name(path) : read.format;
  return format != Format::Svmlight || read.columns > 0 || read.model_columns > 0;
}

/// Every input is looked at before the first sample is used, so that a wrong one is known at once.
/// Only the first stays open: a thousand inputs must not hold a thousand files and their contents.
template <class Scalar>
void SampleStream<Scalar>::State::inspect_inputs() {
  samples = 0;
  std::size_t widest = 0;  // the input that decided the dimension
  bool told = false;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::unique_ptr<SampleReader> input = open(i);
    const Index found = input->dimension();
    const bool tells = tells_dimension(paths[i]);
    if ((told && found > dimension) || (tells && found < dimension)) {
      throw DataError(paths[i] + ": expected " + width_text(dimension) + " as in " + paths[widest] +
                      ", found " + std::to_string(found));
    }
    if (found > dimension) widest = i;
    dimension = std::max(dimension, found);
    told = told || tells;
    sparse = sparse && input->is_sparse();
    count_samples(input->samples());
    if (i == 0) reader = std::move(input);
  }
  read.model_columns = dimension;
  if (reader && reader->dimension() < dimension) reader = open(0);
  const bool drop = options.last_batch == LastBatch::Drop;
  Index all = 0;
  if (samples && __builtin_mul_overflow(*samples, options.passes, &all)) samples.reset();
  if (samples) {
    samples = all;
    if (drop && options.inputs == Inputs::Joined) *samples -= *samples % options.batch_size;
  }
}

template <class Scalar>
void SampleStream<Scalar>::State::count_samples(std::optional<Index> of_input) {
  const bool drop = options.last_batch == LastBatch::Drop;
  if (of_input && drop && options.inputs == Inputs::Separate) {
    *of_input -= *of_input % options.batch_size;
  }
  if (samples && of_input && !__builtin_add_overflow(*samples, *of_input, &*of_input)) {
    samples = of_input;
  } else {
    samples.reset();
  }
}

/// Opens the next input, or the first again for the next pass; false at the end.
template <class Scalar>
bool SampleStream<Scalar>::State::next_reader() {
  reader.reset();
  if (is_last_input()) return false;
  if (++current == paths.size()) {
    current = 0;
    ++pass;
  }
  reader = open(current);
  if (reader->dimension() != dimension) {
    throw DataError(paths[current] + ": expected " + width_text(dimension) + ", found " +
                    std::to_string(reader->dimension()) + ": the file changed while it was in use");
  }
  return true;
}

template <class Scalar>
void SampleStream<Scalar>::State::take(const Batch<Scalar>& raw) {
  Batch<Scalar> samples_of_batch = raw;
  if (raw.is_sparse() && !sparse) {
    assembler.begin(dimension, false);
    assembler.add(raw);
    samples_of_batch = assembler.batch();
  }
  raw_batch = raw;
  starts_call = at_start;
  at_start = false;
  batch_input = current;
  batch_pass = pass;
  try {
    batch = preprocess(samples_of_batch, options.preprocess, processed_buffer);
  } catch (const DataError& error) {
    throw DataError(paths[current] + ": " + error.what());
  }
}

template <class Scalar>
bool SampleStream<Scalar>::State::next_separate() {
  while (reader) {
    const Batch<Scalar> read_batch = reader->read(options.batch_size, read_buffer);
    const bool short_batch = read_batch.samples() < options.batch_size;
    if (short_batch && was_interrupted()) return false;
    const bool dropped = short_batch && (is_last_input() ? !uses_short_batches()
                                                         : options.last_batch == LastBatch::Drop);
    if (read_batch.samples() > 0 && !dropped) {
      take(read_batch);
      return true;
    }
    at_start = true;
    next_reader();
  }
  return false;
}

template <class Scalar>
bool SampleStream<Scalar>::State::next_joined() {
  Index filled = 0;
  std::size_t last_input = current;
  Index last_pass = pass;
  while (reader && filled < options.batch_size) {
    const Batch<Scalar> part = reader->read(options.batch_size - filled, read_buffer);
    if (part.samples() < options.batch_size - filled && was_interrupted()) return false;
    const bool last = filled == 0 && is_last_input() && uses_short_batches();
    if (part.samples() == options.batch_size || (last && part.samples() > 0)) {
      take(part);  // as it lies in the reader, not copied
      return true;
    }
    if (part.samples() > 0) {
      if (filled == 0) assembler.begin(dimension, sparse);
      assembler.add(part);
      filled += part.samples();
      last_input = current;
      last_pass = pass;
    }
    if (filled < options.batch_size) next_reader();
  }
  const bool incomplete = filled < options.batch_size;
  if (filled == 0 || (incomplete && !uses_short_batches())) return false;
  take(assembler.batch());
  batch_input = last_input;
  batch_pass = last_pass;
  return true;
}

/// Calls pass_samples(count), which returns how many there were, for pieces of at most a batch:
/// with Inputs::Separate and LastBatch::Drop the rest of an input was given to nobody and does not
/// count.
template <class Scalar>
template <class Pass>
bool SampleStream<Scalar>::State::pass_over(Index samples_left, Pass&& pass_samples) {
  const bool drops = options.inputs == Inputs::Separate && options.last_batch == LastBatch::Drop;
  while (reader && samples_left > 0) {
    if (was_interrupted()) return false;
    const Index wanted = std::min(samples_left, options.batch_size);
    const Index passed = pass_samples(wanted, drops);
    const bool dropped = drops && passed < wanted;
    if (passed > 0 && !dropped) {
      samples_left -= passed;
      at_start = false;
    }
    if (passed == wanted) continue;
    if (was_interrupted()) return false;
    if (options.inputs == Inputs::Separate) at_start = true;
    next_reader();
  }
  return samples_left == 0;
}

template <class Scalar>
SampleStream<Scalar>::SampleStream(std::vector<std::string> paths,
                                   const ReadOptions& read,
                                   const StreamOptions& options)
    : state_(std::make_unique<State>()) {
  if (paths.empty()) throw InvalidOptions("expected at least one input");
  if (options.batch_size < 1) throw InvalidOptions("batch_size must be at least 1");
  if (options.passes < 1) throw InvalidOptions("passes must be at least 1");
  state_->paths = std::move(paths);
  state_->read = read;
  state_->options = options;
  state_->inspect_inputs();
}

template <class Scalar>
SampleStream<Scalar>::~SampleStream() = default;

template <class Scalar>
Index SampleStream<Scalar>::dimension() const {
  return state_->dimension;
}
template <class Scalar>
bool SampleStream<Scalar>::is_sparse() const {
  return state_->sparse && !state_->options.preprocess.center;
}
template <class Scalar>
std::optional<Index> SampleStream<Scalar>::samples() const {
  return state_->samples;
}
template <class Scalar>
bool SampleStream<Scalar>::next() {
  return state_->options.inputs == Inputs::Separate ? state_->next_separate()
                                                    : state_->next_joined();
}
template <class Scalar>
bool SampleStream<Scalar>::skip(Index samples) {
  State& s = *state_;
  return s.pass_over(samples, [&](Index count, bool) { return s.reader->skip(count); });
}
template <class Scalar>
bool SampleStream<Scalar>::skip(Index samples, SampleDigest& digest) {
  State& s = *state_;
  return s.pass_over(samples, [&](Index count, bool only_whole) {
    const Batch<Scalar> part = s.reader->read(count, s.read_buffer);
    if (part.samples() == count || !only_whole) digest.append(digest_of(part));
    return part.samples();
  });
}
template <class Scalar>
SampleDigest SampleStream<Scalar>::digest() const {
  return digest_of(state_->raw_batch);
}
template <class Scalar>
const Batch<Scalar>& SampleStream<Scalar>::batch() const {
  return state_->batch;
}
template <class Scalar>
bool SampleStream<Scalar>::starts_call() const {
  return state_->starts_call;
}
template <class Scalar>
const std::string& SampleStream<Scalar>::input() const {
  return state_->paths[state_->batch_input];
}
template <class Scalar>
Index SampleStream<Scalar>::pass() const {
  return state_->batch_pass;
}

template class SampleStream<double>;
template class SampleStream<float>;

}  // namespace nodl::io
