// nodl reproduce: the paper's evaluation, figure by figure, with verdicts.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "commands.h"
#include "enum_option.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "progress_line.h"
#include "studies/run_all.h"
#include "studies/scikit_learn.h"
#include "study_output.h"
#include "table.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

struct ReproduceOptions {
  std::vector<std::string> figures;
  std::string data;
  std::string output = "reproduction";
  std::vector<std::string> presets = {"paper", "released"};
  int seeds = 1;
  int threads = 0;
  bool quick = false;
  bool json = false;
  std::optional<ShowProgress> progress;
};

/// Where the paper's data sets live, and how files of them become the ones expected.
constexpr const char* kWhereImages =
    "the pictures are public (www.robots.ox.ac.uk/~vgg/data/oxbuildings, .../flowers/102, "
    ".../pets); "
    "nodl prepare images FOLDER --size {0}x{0} --train 1900 --test 1900 --output {1} makes the "
    "files";
constexpr const char* kWhereWords =
    "the matrix is in github.com/sgarg87/neurogenesis_inspired_dictionary_learning; "
    "nodl prepare text FILE... --general FILE... --output {} makes one from texts, words of the "
    "last are biology";

/// One line: what is missing for a study, where it lives and what makes it.
std::string explain_missing(const study::Study& study,
                            const std::vector<std::filesystem::path>& missing,
                            bool no_folder) {
  const std::string first = missing.front().string();
  std::string line =
      fmt::format("{} needs {}{}", study.figures, no_folder ? "--data DIR with " : "", first);
  if (missing.size() > 1) line += fmt::format(" and {} more", missing.size() - 1);
  if (study.source() == "nlp") {
    return line + ": " +
           fmt::format(kWhereWords, missing.front().parent_path().string() + "/cooccurrence.mtx");
  }
  // oxford_train_32.npy is one of the two files of the pattern oxford_{}_32.npy.
  std::string pattern = first;
  for (const std::string split : {"_train_", "_test_"}) {
    const std::size_t at = pattern.rfind(split);
    if (at != pattern.npos) pattern.replace(at, split.size(), "_{}_");
  }
  return line + ": " +
         fmt::format(kWhereImages, study.run.at("stream").at("side").get<Index>(), pattern);
}

/// Throws InvalidOptions with all that there is: figures by number, then names of our own studies.
void require_known(const std::vector<study::Study>& studies,
                   const std::vector<std::string>& figures) {
  std::set<int> numbers;
  std::set<std::string> names;
  std::set<std::string> known = {"all"};
  for (const study::Study& study : studies) {
    known.insert(study.id);
    for (const std::string& number : study.numbers) {
      known.insert(number);
      if (number == "ours") {
        names.insert(study.id);
      } else {
        numbers.insert(std::stoi(number));
      }
    }
  }
  for (const std::string& figure : figures) {
    if (known.contains(figure)) continue;
    throw InvalidOptions(fmt::format("there is no figure {}; there are {}, {}, ours and all",
                                     figure,
                                     fmt::join(numbers, ", "),
                                     fmt::join(names, ", ")));
  }
}

/// Asked for by a number or by its name, not by `all` or `ours`.
bool is_named(const study::Study& study, const std::vector<std::string>& figures) {
  return std::any_of(figures.begin(), figures.end(), [&](const std::string& figure) {
    return figure != "ours" && (figure == study.id ||
                                std::count(study.numbers.begin(), study.numbers.end(), figure) > 0);
  });
}

/// Studies whose data is there. What was asked for by number or name must be there; of `all` and
/// `ours`, what is missing is left out and named.
std::vector<study::Study> with_data(const ReproduceOptions& options,
                                    const study::DataFolder& data,
                                    std::vector<std::string>& left_out) {
  std::vector<study::Study> studies = study::all_studies(options.quick);
  require_known(studies, options.figures);
  studies = study::choose(std::move(studies), options.figures);
  const auto leave_out = [&](const study::Study& study, const std::string& why) {
    if (is_named(study, options.figures)) throw DataError(why);
    left_out.push_back(why);
    return true;
  };
  std::erase_if(studies, [&](const study::Study& study) {
    if (study.needs_scikit_learn() && !study::scikit_learn_present()) {
      return leave_out(study, study.title + " needs a python3 that has scikit-learn");
    }
    std::vector<std::filesystem::path> missing;
    for (const study::PlannedRun& run : study::plan({study}, options.presets, 1)) {
      missing = data.missing(run.stream);
      if (!missing.empty()) break;
    }
    return !missing.empty() &&
           leave_out(study, explain_missing(study, missing, options.data.empty()));
  });
  return studies;
}

/// On a terminal one line that changes; else a line every ten seconds.
class StudyLine {
 public:
  explicit StudyLine(std::optional<ShowProgress> show) : on_(shows_progress(show)) {}
  ~StudyLine() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(const study::StudyProgress& progress) {
    if (!on_) return;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const auto now = std::chrono::steady_clock::now();
    const bool last = progress.done == progress.total;
    if (!terminal && !last && shown_ && now - at_ < std::chrono::seconds(10)) return;
    shown_ = true;
    at_ = now;
    std::string text = fmt::format("{} of {} runs", progress.done, progress.total);
    if (progress.found > 0) text += fmt::format(" ({} were there)", progress.found);
    if (progress.seconds_left >= 0 && !last) {
      text += fmt::format(", {} left", duration(progress.seconds_left));
    }
    if (!progress.current.empty()) text += "  " + progress.current;
    if (terminal) {
      fmt::print(stderr, "\r{}\x1b[K", text.substr(0, 100));
      drawn_ = true;
    } else {
      fmt::print(stderr, "{}\n", text);
    }
    std::fflush(stderr);
  }

 private:
  bool on_;
  bool shown_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point at_;
};

std::string verdict_text(const std::vector<study::ClaimResult>& claims) {
  std::string text;
  for (const study::ClaimResult& claim : claims) {
    if (claim.verdict == study::Verdict::NotTested) continue;
    text += fmt::format("{:<14} {:<9} {} ({})\n",
                        name_of(claim.verdict),
                        claim.preset,
                        claim.statement,
                        claim.place);
  }
  return text;
}

void reproduce(const ReproduceOptions& options) {
  const std::filesystem::path folder = options.output;
  const study::DataFolder data(options.data);
  std::vector<std::string> left_out;
  const std::vector<study::Study> studies = with_data(options, data, left_out);
  for (const std::string& line : left_out) fmt::print(stderr, "nodl: left out: {}\n", line);

  StudySetting setting{{}, options.presets, options.seeds, options.quick, left_out};
  for (const study::Study& study : studies) setting.studies.push_back(study.id);
  const std::vector<study::PlannedRun> runs = planned(setting);
  const study::RunCache cache(folder / "runs");
  const int threads = options.threads > 0
                          ? options.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::map<std::string, study::RunResult> by_key;
  {
    StudyLine line(options.progress);
    by_key = study::run_all(
        runs, data, cache, threads, [&](const study::StudyProgress& now) { line.show(now); });
  }
  std::vector<std::string> keys;
  for (const study::PlannedRun& run : runs) keys.push_back(run.key(data));
  const StudyOutput output(setting, keys, by_key);
  const std::string page = (folder / "report.html").string();
  io::write_atomically((folder / "results.json").string(),
                       [&](std::ostream& out) { out << output.document; });
  io::write_atomically(page, [&](std::ostream& out) { out << output.html; });
  if (options.json) {
    fmt::print("{}", output.document);
  } else {
    fmt::print("{}", verdict_text(output.claims));
    fmt::print("{} runs. All figures and verdicts: {}\n", by_key.size(), page);
  }
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("reproduce", "The paper's figures and a verdict on each of its claims.");
  command->footer(
      "Writes DIR/report.html and DIR/results.json. Every run is kept in DIR/runs: what was\n"
      "interrupted goes on where it stopped. Figures 5, 7, 15 and 16 need no data.\n"
      "\n"
      "Example:\n"
      "  nodl reproduce 5 16 --output reproduction\n"
      "  nodl reproduce all --data ../shared/data --output reproduction");
  auto options = std::make_shared<ReproduceOptions>();
  command->add_option("FIGURE",
                      options->figures,
                      "Numbers of figures, names of studies, `ours`, or `all` (default).");
  command->add_option("--data", options->data, "Folder with images/ and nlp/.")->type_name("DIR");
  command->add_option("--output", options->output, "Folder for the page and the results.")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--preset",
                   options->presets,
                   "paper: the algorithm as printed; released: as the authors' code. Both if not "
                   "given.")
      ->type_name("paper|released")
      ->allow_extra_args(false)  // figures may follow
      ->each([](const std::string& name) { enum_value<Preset>("--preset", name); });
  command->add_option("--seeds", options->seeds, "Repetitions: means with confidence intervals.")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "A small version of everything, in minutes.");
  command->add_option("--threads", options->threads, "Runs at the same time; 0: one a core.")
      ->type_name("N")
      ->check(whole_number(0, 4096))
      ->capture_default_str();
  add_enum(*command, "--progress", options->progress, "auto: only on a terminal.")
      ->default_str("auto");
  command->add_flag("--json", options->json, "Print the results as JSON.");
  command->callback([options] { reproduce(*options); });
}

}  // namespace nodl::cli
