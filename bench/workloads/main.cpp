// Workloads P1-P8 in one process with the data in memory: a table on the terminal, all numbers as
// JSON. bench/compare runs it beside rivals.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heap_meter.h"
#include "workloads.h"

namespace {

using namespace nodl;
using namespace nodl::bench;

template <class Scalar>
std::vector<Result> run(const Context& context, const std::string& id) {
  if (id == "P1") return {train_patches<Scalar>(context, id, 200000, 256)};
  if (id == "P2") return {train_patches<Scalar>(context, id, 200000, 1024)};
  if (id == "P3") return {encode_patches<Scalar>(context, 1024)};
  if (id == "P4") return dense_images<Scalar>(context);
  if (id == "P5" || id == "P6") return image_stream<Scalar>(context, id);
  if (id == "P7") return word_stream<Scalar>(context);
  std::vector<Result> growth;
  for (const Index atoms : {256, 512, 1024, 2048}) {
    growth.push_back(train_patches<Scalar>(context, id, 20480, atoms));
    if (context.atoms > 0) break;
  }
  return growth;
}

/// The median, and the range without the outer tenths: a line on the terminal and an object.
nlohmann::json tell(const Scaling& scaling, const std::string& precision) {
  std::vector<double> shares = scaling.shares;
  std::sort(shares.begin(), shares.end());
  const auto quantile = [&](double q) {
    return shares[static_cast<std::size_t>(q * static_cast<double>(shares.size() - 1) + 0.5)];
  };
  fmt::print(
      "{} {:6} {:5} atoms, {}: two threads reach {:.3f} ({:.2f}-{:.2f}) of the gain of two "
      "processes; {} rounds\n",
      scaling.id,
      scaling.what,
      scaling.atoms,
      precision,
      quantile(0.5),
      quantile(0.1),
      quantile(0.9),
      shares.size());
  return {{"id", scaling.id},
          {"what", scaling.what},
          {"atoms", scaling.atoms},
          {"precision", precision},
          {"share", quantile(0.5)},
          {"share_low", quantile(0.1)},
          {"share_high", quantile(0.9)},
          {"rounds", shares.size()}};
}

template <class Scalar>
nlohmann::json tell_scaling(const Context& context,
                            const std::vector<std::string>& ids,
                            const std::string& precision,
                            int rounds) {
  nlohmann::json told = nlohmann::json::array();
  for (const std::string& id : ids) {
    if (id == "P4") {
      for (const Scaling& one : image_scaling<Scalar>(context, rounds)) {
        told.push_back(tell(one, precision));
      }
    } else if (id < "P4" || id == "P8") {
      told.push_back(tell(patch_scaling<Scalar>(context, id, rounds), precision));
    }
  }
  return told;
}

std::string paper_data() {
  if (const char* folder = std::getenv("NODL_DATA")) return folder;
  return NODL_SOURCE_DIR "/../shared/data";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures nodl on workloads P1-P8 of docs/PERFORMANCE.md.");
  std::vector<std::string> ids;
  std::string precision = "float64", json_file, judged;
  std::string cache = NODL_BENCH_CACHE, data = paper_data();
  int repeat = 1, scaling_rounds = 0;
  Context context;
  app.add_option("ids", ids, "P1 ... P8; all of them unless given")
      ->check(CLI::IsMember({"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"}));
  app.add_option("--precision", precision)->check(CLI::IsMember({"float32", "float64"}));
  app.add_option("--threads", context.threads, "of the learner")->check(CLI::Range(1, 64));
  app.add_option("--atoms", context.atoms, "another number of atoms (P1-P3, P5-P8)");
  app.add_option("--samples", context.samples, "at most so many, for a quick look");
  app.add_option("--repeat", repeat, "runs of each workload")->check(CLI::Range(1, 1000));
  app.add_option("--cache", cache, "folder of the .npy files that rivals read as well");
  app.add_option("--data", data, "folder with images/ and nlp/; NODL_DATA says the same");
  app.add_option("--only", context.only, "half of P4")->check(CLI::IsMember({"train", "encode"}));
  app.add_option("--json", json_file, "file for all numbers");
  app.add_option(
      "--dictionary", context.dictionary_out, "file for the learned atoms (P1, P2, P4, P8)");
  app.add_option("--judge", judged, "only tell the held-out objective of the atoms in this file");
  app.add_option("--scaling",
                 scaling_rounds,
                 "only tell, from so many rounds, what two threads gain over one (P1-P4, P8)")
      ->check(CLI::Range(1, 100000));
  CLI11_PARSE(app, argc, argv);
  context.cache = cache;
  context.data = data;
  if (ids.empty()) ids = {"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"};

  try {
    if (!judged.empty()) {
      const bool images = ids.front() == "P4";
      fmt::print("{:.9f}\n",
                 images ? judge_images(context, judged) : judge_patches(context, judged));
      return 0;
    }
    const bool single = precision == "float32";
    const auto write_json = [&](const nlohmann::json& json) {
      if (!json_file.empty()) std::ofstream(json_file) << json.dump(1) << '\n';
    };
    if (scaling_rounds > 0) {
      write_json(single ? tell_scaling<float>(context, ids, precision, scaling_rounds)
                        : tell_scaling<double>(context, ids, precision, scaling_rounds));
      return 0;
    }
    context.machine = single ? measure_machine<float>() : measure_machine<double>();
    fmt::print(
        "{}, {} thread(s); one reaches GEMM {:.1f}, cached GEMV {:.1f} GFLOP/s, {:.1f} GB/s\n",
        precision,
        context.threads,
        context.machine.gemm / 1e9,
        context.machine.gemv / 1e9,
        context.machine.stream / 1e9);
    std::vector<Result> results;
    for (int i = 0; i < repeat; ++i) {
      for (const std::string& id : ids) {
        for (Result& r : single ? run<float>(context, id) : run<double>(context, id)) {
          results.push_back(std::move(r));
        }
      }
    }
    fmt::print("{}", table(results));
    nlohmann::json json = {{"precision", precision},
                           {"threads", context.threads},
                           {"gemm_flops", context.machine.gemm},
                           {"gemv_flops", context.machine.gemv},
                           {"stream_bytes", context.machine.stream},
                           {"counts_heap", HeapMeter::works()},
                           {"runs", nlohmann::json::array()}};
    for (const Result& r : results) json["runs"].push_back(to_json(r));
    write_json(json);
  } catch (const std::exception& error) {
    fmt::print(stderr, "nodl_workloads: {}\n", error.what());
    return 1;
  }
  return 0;
}
