// Model files: what is written is read back, and what is damaged is refused.
#include "nodl/io/model_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "io/model_file_layout.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/slots.h"

namespace nodl::io {
namespace {

namespace fs = std::filesystem;

class ModelFile : public testing::Test {
 protected:
  ModelFile() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("nodl_model_file_") + info->name() + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~ModelFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "m.nodl") const { return (folder_ / name).string(); }

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  fs::path folder_;
};

/// Two sparse atoms (one of them zero) and two dense ones in four dimensions.
template <class Scalar>
Model<Scalar> small_model() {
  Model<Scalar> model;
  Options options;
  options.seed = 18446744073709551615u;
  options.coding.lambda = 0.1;
  options.coding.code_nonzeros = 3;
  options.update.tolerance = 1.0 / 3;
  model.options = resolve(options, 4);
  model.dictionary = Dictionary<Scalar>(4);
  model.dictionary.append(Matrix<Scalar>::Zero(4, 2), {{0, 0, 7, 3}, {5, 2, 0, 0}});
  SparseMatrix<Scalar> sparse;
  sparse.rows = 4;
  sparse.push(1, Scalar(0.5));
  sparse.push(3, Scalar(-0.25));
  sparse.end_column();
  sparse.end_column();
  model.dictionary.replace_by_sparse(sparse);
  Matrix<Scalar> dense(4, 2);
  dense << 1, 2, 3, 4, 5, 6, 7, 8;
  model.dictionary.append(dense / Scalar(9), {{6, 3, 1, 3}, {8, 3, 1, 3}});
  model.memory = Memory(Matrix<double>::Identity(4, 4) * 0.1, Matrix<double>::Constant(4, 4, 0.3));
  model.progress = {3, 600, 9, 5, 9, 3, 2, true};
  model.initialised = true;
  return model;
}

template <class Scalar>
void expect_equal(const Model<Scalar>& a, const Model<Scalar>& b) {
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.progress, b.progress);
  EXPECT_EQ(a.initialised, b.initialised);
  EXPECT_EQ(a.dictionary.sparse_size(), b.dictionary.sparse_size());
  EXPECT_EQ(a.dictionary.dimension(), b.dictionary.dimension());
  EXPECT_EQ(a.dictionary.records(), b.dictionary.records());
  EXPECT_EQ(a.dictionary.to_dense(), b.dictionary.to_dense());
  EXPECT_EQ(a.memory.A(), b.memory.A());
  EXPECT_EQ(a.memory.B(), b.memory.B());
}

std::string refusal(const std::string& path) {
  try {
    load_model(path);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(ModelFile, IsReadBackAsItWas) {
  save_model(small_model<double>(), path());
  expect_equal(std::get<Model<double>>(load_model(path())), small_model<double>());
  save_model(small_model<float>(), path());
  expect_equal(std::get<Model<float>>(load_model(path())), small_model<float>());
}

TEST_F(ModelFile, EqualModelsAreEqualFiles) {
  save_model(small_model<double>(), path("a"));
  save_model(std::get<Model<double>>(load_model(path("a"))), path("b"));
  EXPECT_EQ(bytes_of(path("a")), bytes_of(path("b")));
}

TEST_F(ModelFile, HoldsAModelThatHasNotBegun) {
  Model<double> model;
  model.options = resolve(Options{}, 7);
  model.dictionary = Dictionary<double>(7);
  model.memory = Memory(7, 0);
  save_model(model, path());
  const auto loaded = std::get<Model<double>>(load_model(path()));
  expect_equal(loaded, model);
  EXPECT_TRUE(has_training_state(loaded));
}

TEST_F(ModelFile, LoadsWithoutTrainingState) {
  Model<double> model = small_model<double>();
  model.memory = Memory();
  save_model(model, path());
  const auto loaded = std::get<Model<double>>(load_model(path()));
  expect_equal(loaded, model);
  EXPECT_FALSE(has_training_state(loaded));
}

TEST_F(ModelFile, KeepsSlotsWhereAllAtomsHaveOne) {
  Model<double> model = small_model<double>();
  save_model(model, path("without"));  // as files of version 0.1 are
  EXPECT_EQ(inspect_model(path("without")).sections.size(), 7u);
  assign_slots(model.dictionary.records(), model.progress, 10);
  model.dictionary.records()[2].slot = 9;
  model.progress.next_slot = 10;
  save_model(model, path());
  EXPECT_EQ(inspect_model(path()).sections.size(), 8u);
  expect_equal(std::get<Model<double>>(load_model(path())), model);
  for (const std::int64_t wrong : {std::int64_t{1}, std::int64_t{10}}) {
    model.dictionary.records()[2].slot = wrong;
    save_model(model, path());
    EXPECT_NE(refusal(path()).find("slot"), std::string::npos) << wrong;
  }
}

void expect_every_flip_is_refused(const std::string& path, const std::string& whole) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      put(at, static_cast<char>(whole[at] ^ (1 << bit)));
      ASSERT_NE(refusal(path), "accepted") << "byte " << at << ", bit " << bit;
    }
    put(at, whole[at]);
  }
  EXPECT_EQ(refusal(path), "accepted");
}

TEST_F(ModelFile, RefusesEveryFlippedBit) {
  save_model(small_model<double>(), path());
  expect_every_flip_is_refused(path(), bytes_of(path()));
}

TEST_F(ModelFile, RefusesEveryFlippedBitOfASlimModelInSinglePrecision) {
  Model<float> model = small_model<float>();
  model.memory = Memory();
  save_model(model, path());
  expect_every_flip_is_refused(path(), bytes_of(path()));
}

TEST_F(ModelFile, RefusesEveryTruncationAndAnyExtension) {
  save_model(small_model<double>(), path());
  const std::string whole = bytes_of(path());
  write_bytes(path(), whole + std::string(64, '\0'));
  EXPECT_NE(refusal(path()), "accepted");
  for (std::size_t size = whole.size(); size-- > 0;) {
    fs::resize_file(path(), size);
    ASSERT_NE(refusal(path()), "accepted") << size << " bytes";
  }
}

TEST_F(ModelFile, SaysWhatIsWrongInOneLine) {
  EXPECT_EQ(refusal(path("none")), path("none") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(refusal(folder_.string()), folder_.string() + ": is no regular file");
  write_bytes(path(), std::string(200, 'x'));
  EXPECT_EQ(refusal(path()), path() + ": is no nodl model: it does not begin like one");
  save_model(small_model<double>(), path());
  std::string bytes = bytes_of(path());
  bytes[bytes.size() - 1] = 1;  // padding of training.B
  write_bytes(path(), bytes);
  EXPECT_EQ(refusal(path()), path() + ": is damaged: the checksum of section training.B differs");
}

/// Rewrites a good file with other contents and right checksums, as a hostile writer would.
class Rewriter {
 public:
  explicit Rewriter(const std::string& path) : reader_(path), header(reader_.header()) {
    for (const ModelSection& section : reader_.sections()) {
      Part part{section, {}};
      if (section.type == "<f8") part.read<double>(reader_);
      if (section.type == "<i8") part.read<std::int64_t>(reader_);
      if (section.type == "<i4") part.read<std::int32_t>(reader_);
      parts_.push_back(std::move(part));
    }
  }
  template <class T>
  T& at(const std::string& name, std::size_t index) {
    for (Part& part : parts_) {
      if (part.section.name == name) return reinterpret_cast<T*>(part.bytes.data())[index];
    }
    throw std::out_of_range(name);
  }
  void replace_in_header(const std::string& old, const std::string& replacement) {
    const std::size_t found = header.find(old);
    ASSERT_NE(found, std::string::npos) << old;
    header.replace(found, old.size(), replacement);
  }
  void write(const std::string& path) const {
    ModelFileWriter writer(header);
    for (const Part& part : parts_) {
      const ModelSection& s = part.section;
      const void* data = part.bytes.data();
      if (s.type == "<f8") writer.add(s.name, s.rows, s.cols, static_cast<const double*>(data));
      if (s.type == "<i8")
        writer.add(s.name, s.rows, s.cols, static_cast<const std::int64_t*>(data));
      if (s.type == "<i4")
        writer.add(s.name, s.rows, s.cols, static_cast<const std::int32_t*>(data));
    }
    write_atomically(path, [&](std::ostream& out) { writer.write(out); });
  }

 private:
  struct Part {
    ModelSection section;
    std::vector<std::uint64_t> bytes;  // aligned for all types
    template <class T>
    void read(ModelFileReader& reader) {
      std::vector<T> values;
      reader.read(section.name, section.rows, section.cols, values);
      bytes.resize(values.size() + 1);
      std::copy(values.begin(), values.end(), reinterpret_cast<T*>(bytes.data()));
    }
  };
  ModelFileReader reader_;
  std::vector<Part> parts_;

 public:
  std::string header;
};

TEST_F(ModelFile, RefusesContentsThatCannotBe) {
  save_model(small_model<double>(), path());
  const auto refused = [&](const std::function<void(Rewriter&)>& change) {
    Rewriter file(path());
    change(file);
    file.write(path("hostile"));
    return refusal(path("hostile"));
  };
  EXPECT_EQ(refused([](Rewriter&) {}), "accepted");
  const auto expect = [&](const char* part, const std::function<void(Rewriter&)>& change) {
    EXPECT_NE(refused(change).find(part), std::string::npos) << refused(change);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect("not finite", [&](Rewriter& f) { f.at<double>("training.A", 3) = nan; });
  expect("not finite", [&](Rewriter& f) { f.at<double>("dictionary.dense", 0) = nan; });
  expect("not finite", [&](Rewriter& f) { f.at<double>("dictionary.sparse.values", 0) = nan; });
  expect("do not rise", [](Rewriter& f) { f.at<int>("dictionary.sparse.indices", 1) = 1; });
  expect("do not rise", [](Rewriter& f) { f.at<int>("dictionary.sparse.indices", 1) = 4; });
  expect("do not rise", [](Rewriter& f) { f.at<int>("dictionary.sparse.indices", 0) = -1; });
  expect("do not follow", [](Rewriter& f) { f.at<long>("dictionary.sparse.starts", 1) = 3; });
  expect("two atoms have one id", [](Rewriter& f) { f.at<long>("dictionary.records", 0) = 5; });
  expect("out of range", [](Rewriter& f) { f.at<long>("dictionary.records", 0) = 9; });
  expect("out of range", [](Rewriter& f) { f.at<long>("dictionary.records", 2) = -1; });
  const auto header = [](const char* old, const char* replacement) {
    return [=](Rewriter& f) { f.replace_in_header(old, replacement); };
  };
  expect("cannot be understood", header("\"options\"", "\"optionz\""));
  expect("cannot be understood", header("\"batch_size\"", "\"batch_sizes\""));
  expect("cannot be understood", header("\"dimension\":4", "\"dimension\":4.5"));
  expect("out of range", header("\"batch_size\":200", "\"batch_size\":0"));
  expect("out of range", header("\"dimension\":4", "\"dimension\":0"));
  expect("expected 3 x 4", header("\"atoms\":4", "\"atoms\":5"));
  expect("more sparse atoms", header("\"sparse_atoms\":2", "\"sparse_atoms\":5"));
  expect("negative", header("\"batches\":3", "\"batches\":-3"));
  expect("too large", header("\"next_id\":9", "\"next_id\":9223372036854775807"));
  expect("out of range", [](Rewriter& f) { f.at<long>("dictionary.records", 1) = 4; });
  expect("out of range", [](Rewriter& f) { f.at<long>("dictionary.records", 3) = 4; });
  expect("nested too deeply", [](Rewriter& f) {
    const std::string deep(100000, '[');
    f.header.insert(f.header.size() - 1, ",\"later\":" + deep + std::string(100000, ']'));
  });
  expect("bytes, expected at most", [](Rewriter& f) {
    f.header.insert(f.header.size() - 1, ",\"later\":\"" + std::string(1 << 20, 'x') + "\"");
  });
}

TEST(OptionsJson, IsReadBackAsItWas) {
  for (const Preset which : {Preset::Paper, Preset::Released}) {
    Options options = preset(which);
    options.coding.lambda = 0.1;
    options.memory = {MemoryKind::HalfLife, 1e6};
    EXPECT_EQ(options_from_json(options_to_json(options)), options);
  }
}

TEST(OptionsJson, LeavesWhatItDoesNotName) {
  Options base;
  base.seed = 3;
  base.coding.lambda = 1;
  const Options options = options_from_json(R"({"lambda": null, "coder": "cd"})", base);
  EXPECT_EQ(options.seed, 3u);
  EXPECT_EQ(options.coding.lambda, std::nullopt);
  EXPECT_EQ(options.coding.coder, Coder::Cd);
}

TEST(OptionsJson, RefusesWhatIsNoOption) {
  const auto refused = [](const char* text) {
    try {
      options_from_json(text);
    } catch (const InvalidOptions& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(R"({"colour": 1})"), "unknown option colour");
  EXPECT_EQ(refused(R"({"atoms": "many"})"), "atoms must be an integer, not \"many\"");
  EXPECT_EQ(refused(R"({"seed": -1})"), "seed must be an integer of at least 0, not -1");
  EXPECT_EQ(refused(R"({"coder": "lasso"})"), "coder must be lars|cd|omp|threshold, not \"lasso\"");
  EXPECT_EQ(refused(R"({"refit": 1})"), "refit must be true or false, not 1");
  EXPECT_EQ(refused("[]"), "options must be one JSON object");
}

}  // namespace
}  // namespace nodl::io
