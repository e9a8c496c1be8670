// nodl demo: a dictionary of fixed size and one that grows, on the same changing stream.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.h"
#include "demo_runs.h"
#include "json_output.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "report_page.h"
#include "table.h"
#include "whole_number.h"

namespace nodl::cli {
namespace {

struct DemoOptions {
  std::string output = "demo-output";
  std::uint64_t seed = 0;
  bool json = false;
};

/// A terminal that can move the cursor and has room for the lines below.
bool can_draw() {
  constexpr int kColumns = 76;
  const char* terminal = std::getenv("TERM");
  winsize size{};
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string(terminal) != "dumb" &&
         ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kColumns;
}

/// A few lines that are drawn over and over while the learners run; only on a terminal.
class LiveView {
 public:
  LiveView() : on_(can_draw()) {}
  ~LiveView() { erase(); }
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  void show(Index batch, const DemoPhase& phase, const DemoRun& odl, const DemoRun& nodl) {
    if (!on_) return;
    std::string text =
        fmt::format("  batch {}/{}, from the {} domain\n", batch, demo_batches(), phase.label);
    for (const DemoRun* run : {&odl, &nodl}) {
      text += fmt::format("  {:<4}", run->name);
      for (std::size_t d = 0; d < kDemoDomains; ++d) {
        const double pearson = run->pearson[d].back();
        text += fmt::format("  {} {} {:.2f}", kDemoDomainNames[d], bar(pearson), pearson);
      }
      text += fmt::format("  {:>3.0f} atoms\n", run->atoms.back());
    }
    draw(text, 3);
  }
  void show(Index batch, const DemoRun& run) {
    if (!on_) return;
    draw(fmt::format("  then {}, {}: batch {}/{}\n", run.name, run.note, batch, demo_batches()), 1);
  }

 private:
  static std::string bar(double share) {
    constexpr int kWidth = 6;
    const long full = std::lround(std::clamp(share, 0.0, 1.0) * kWidth);
    std::string text;
    for (int i = 0; i < kWidth; ++i) text += i < full ? "█" : "░";
    return text;
  }
  void draw(const std::string& text, int lines) {
    erase();
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
    lines_ = lines;
  }
  void erase() {
    if (lines_ > 0) fmt::print(stderr, "\x1b[{}A\x1b[J", lines_);
    lines_ = 0;
  }

  bool on_;
  int lines_ = 0;
};

Colour colour_of(const DemoRun& run, const DemoRuns& runs) {
  if (&run == &runs.nodl) return Colour::Blue;
  return &run == &runs.odl ? Colour::Orange : Colour::Grey;
}

void print_table(const DemoRuns& runs) {
  Table table({"", "first (old)", "second", "third (new)", "atoms", "births", "deaths", "seconds"});
  for (const DemoRun* run : runs.all()) {
    std::vector<std::string> row = {fmt::format("{:<4}  {}", run->name, run->note)};
    for (const auto& pearson : run->pearson) row.push_back(fmt::format("{:.3f}", pearson.back()));
    row.push_back(fmt::format("{:.0f}", run->atoms.back()));
    row.push_back(fmt::format("{:.0f}", run->births()));
    row.push_back(fmt::format("{:.0f}", run->deaths()));
    row.push_back(fmt::format("{:.1f}", run->seconds.wall));
    table.add(std::move(row));
  }
  fmt::print(
      "A stream of {} samples: the first domain, the second, the first again, then the third.\n"
      "How well each learner represents new samples of each domain at the end (Pearson, 1 is best):"
      "\n\n{}\n",
      grouped(demo_batches() * kDemoBatchSize),
      table.text("  "));
}

Json to_json(const DemoRuns& runs, const std::string& page) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DemoRun* run : runs.all()) {
    nlohmann::ordered_json pearson;
    for (std::size_t d = 0; d < kDemoDomains; ++d) {
      pearson[kDemoDomainNames[d]] = run->pearson[d].back();
    }
    const Dictionary<double>& dictionary = run->dictionary();
    list.push_back({{"name", run->name},
                    {"note", run->note},
                    {"pearson", pearson},
                    {"atoms", dictionary.size()},
                    {"atoms_alive", dictionary.alive()},
                    {"births", static_cast<std::int64_t>(run->births())},
                    {"deaths", static_cast<std::int64_t>(run->deaths())},
                    {"seconds", run->seconds.wall}});
  }
  return {{"report", page}, {"runs", list}};
}

void add_results_table(ReportPage& page, const DemoRuns& runs) {
  const std::string group = "Pearson at the end";
  ReportTable table;
  table.columns = {{"", "", {}},
                   {"first (old)", group, 3},
                   {"second", group, 3},
                   {"third (new)", group, 3},
                   {"atoms", "", {}},
                   {"births", "", {}},
                   {"deaths", "", {}},
                   {"seconds", "", 1}};
  for (const DemoRun* run : runs.all()) {
    ReportTable::Row row;
    row.colour = colour_of(*run, runs);
    row.note = run->note;
    row.cells = {run->name};
    for (const auto& pearson : run->pearson) row.cells.push_back(pearson.back());
    row.cells.insert(row.cells.end(),
                     {static_cast<Index>(run->atoms.back()),
                      static_cast<Index>(run->births()),
                      static_cast<Index>(run->deaths()),
                      run->seconds.wall});
    // What a learner can no longer, or not yet, represent.
    row.tones.resize(row.cells.size(), ReportTable::Tone::Plain);
    for (std::size_t d = 0; d < kDemoDomains; ++d) {
      const double pearson = run->pearson[d].back();
      if (pearson < 0.8) row.tones[1 + d] = ReportTable::Tone::Bad;
      if (pearson >= 0.9) row.tones[1 + d] = ReportTable::Tone::Good;
    }
    table.rows.push_back(std::move(row));
  }
  page.table(table);
}

Chart demo_chart(std::string title, std::string caption, std::string y_label) {
  Chart chart;
  chart.title = std::move(title);
  chart.caption = std::move(caption);
  chart.x_name = "batch";
  chart.x_label = "batch";
  chart.y_label = std::move(y_label);
  chart.group = "demo";
  for (Index i = 1; i <= demo_batches(); ++i) chart.x.push_back(static_cast<double>(i));
  double from = 0.5;
  for (const DemoPhase& phase : kDemoPhases) {
    const double to = from + static_cast<double>(phase.batches);
    chart.bands.push_back({from, to, phase.label, false});
    from = to;
  }
  return chart;
}

void add_curves(ReportPage& page, const DemoRuns& runs) {
  page.heading("What each learner can represent");
  page.text(
      {fmt::format("After every batch both are given {} samples of each domain that neither "
                   "ever learns from. Shaded: the batches that come from that domain.",
                   kDemoTestSamples)});
  for (std::size_t d = 0; d < kDemoDomains; ++d) {
    std::string name = kDemoDomainNames[d];
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    Chart chart = demo_chart(name + " domain", "", "Pearson");
    for (std::size_t p = 0; p < kDemoPhases.size(); ++p) {
      chart.bands[p].shaded = kDemoPhases[p].domain == d;
    }
    chart.y_min = -0.05;
    chart.y_max = 1.05;
    chart.digits = 3;
    chart.height = 176;
    for (const DemoRun* run : {&runs.nodl, &runs.odl}) {
      chart.series.push_back({run->name, run->pearson[d], colour_of(*run, runs)});
      chart.series.back().dashed = run == &runs.odl;
    }
    page.chart(chart);
  }
}

/// Births in phases whose domain had been there before.
Index born_on_return(const DemoRun& run) {
  Index born = 0;
  std::size_t batch = 0;
  std::array<bool, kDemoDomains> known{};
  for (const DemoPhase& phase : kDemoPhases) {
    for (Index i = 0; i < phase.batches; ++i, ++batch) {
      if (known[phase.domain]) born += static_cast<Index>(run.born[batch]);
    }
    known[phase.domain] = true;
  }
  return born;
}

void add_growth(ReportPage& page, const DemoRuns& runs) {
  page.heading("How the dictionary grows");
  page.text({fmt::format(
      "When samples come that the atoms cannot represent, new ones are born, the more "
      "the worse it is; atoms that turn out to be of no use die. Births when the first "
      "domain came back, after all that `nodl` had learned since: {}.",
      born_on_return(runs.nodl))});
  Chart atoms = demo_chart("Atoms", "", "atoms");
  atoms.y_min = 0;
  atoms.height = 180;
  for (const DemoRun* run : {&runs.nodl, &runs.odl}) {
    atoms.series.push_back({run->name, run->atoms, colour_of(*run, runs), Series::Kind::Steps});
    atoms.series.back().dashed = run == &runs.odl;
  }
  page.chart(atoms);

  Chart life = demo_chart(
      "Births and deaths in nodl", "Born upwards, died downwards, in each batch.", "atoms");
  life.height = 160;
  life.series = {{"born", runs.nodl.born, Colour::Green, Series::Kind::Bars},
                 {"died", runs.nodl.died, Colour::Red, Series::Kind::Bars, true}};
  page.chart(life);
}

void add_supports(ReportPage& page, const DemoRuns& runs) {
  Supports supports;
  supports.title = "Where the atoms live";
  supports.caption =
      "A column is an atom, oldest to the left; a row is a coordinate; inked where the atom is not "
      "zero.";
  const Index dimension = demo_stream_options(0).dimension;
  for (const char* name : kDemoDomainNames) {
    supports.sides.push_back({name, dimension / static_cast<Index>(kDemoDomains)});
  }
  for (const DemoRun* run : {&runs.nodl, &runs.odl}) {
    const Dictionary<double>& dictionary = run->dictionary();
    supports.pictures.push_back({run->name,
                                 fmt::format("{} atoms", dictionary.size()),
                                 supports_of(dictionary.to_dense()),
                                 colour_of(*run, runs)});
  }
  page.supports(supports);
  page.text(
      {"All learners start from random atoms. As soon as they have learned from the first domain, "
       "the atoms of `odl` are zero wherever that domain has no data. To all of them a sample of "
       "another domain is perpendicular: its code is zero, and from a zero code nothing is "
       "learned. That is Lemma 1 of the paper, and more samples do not change it. `nodl` sees that "
       "its atoms do not fit and draws new ones, which have a foot in every coordinate."});
}

void add_setting(ReportPage& page, const DemoRuns& runs, const DemoOptions& options) {
  const SyntheticOptions stream = demo_stream_options(options.seed);
  page.heading("Is the comparison fair?");
  page.text(
      {fmt::format(
           "`odl` has {} atoms all the time, the size that `nodl` is not allowed to exceed. "
           "Both see the same samples in the same order, with the same options: at most {} "
           "nonzeros in a code and {} in an atom, atoms scaled to length one for coding. The "
           "only differences are births, deaths and the size at the start ({} atoms).",
           kDemoMostAtoms,
           *runs.nodl.options().coding.code_nonzeros,
           runs.nodl.options().update.atom_nonzeros,
           runs.nodl.options().atoms),
       "The lemma needs sparse atoms that are not centred, so the table has two more dictionaries "
       "of the same fixed size: one whose atoms may be dense, and one that subtracts the mean of "
       "each atom before coding, which puts a little of every atom into every coordinate. Neither "
       "is cut off from the new domains; given more samples of them, they get further."});
  page.text(
      {fmt::format("The data are made up, with seed {}: each domain has {} hidden atoms of its "
                   "own, on its own {} of the {} coordinates; a sample combines {} of them and "
                   "noise. Where domains share coordinates the lemma does not apply. To see "
                   "another draw:",
                   options.seed,
                   stream.atoms,
                   stream.dimension / stream.domains,
                   stream.dimension,
                   stream.atoms_per_sample)});
  page.code(fmt::format("nodl demo --seed {} --output another-demo", options.seed + 1));
  page.options("All options of nodl", runs.nodl.options());
  page.options("All options of odl, fixed size", runs.odl.options());
}

std::string make_page(const DemoRuns& runs, const DemoOptions& options) {
  ReportPage page(
      "A dictionary that grows when the world changes",
      "One stream, two learners: `odl` has a fixed number of atoms, `nodl` starts small "
      "and grows and shrinks.");
  page.text(
      {"Samples come from a first domain, then from a second one, then from the first again, then "
       "from a third. Nobody tells the learners when that happens, or how many atoms they will "
       "need. At the end, how well do they represent new samples of each domain? (Pearson "
       "correlation of a sample with its reconstruction; 1 is best.)"});
  add_results_table(page, runs);
  add_curves(page, runs);
  add_growth(page, runs);
  add_supports(page, runs);
  add_setting(page, runs, options);
  return page.html();
}

void demo(const DemoOptions& options) {
  const std::filesystem::path folder = options.output;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw ResourceError(fmt::format("{}: {}", options.output, error.message()));

  DemoRuns runs;
  {
    LiveView view;
    runs = run_demo(options.seed,
                    {[&](auto&&... state) { view.show(state...); },
                     [&](auto&&... state) { view.show(state...); }});
  }
  const std::string path = (folder / "report.html").string();
  const std::string html = make_page(runs, options);
  io::write_atomically(path, [&](std::ostream& out) { out << html; });
  if (options.json) {
    print_json(to_json(runs, path));
  } else {
    print_table(runs);
    fmt::print("The course of the run, and why: {}\n", path);
  }
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("demo", "No data needed: a fixed-size dictionary against one that grows.");
  command->footer(
      "Makes a stream that changes its nature three times, lets both learn from it, and writes "
      "one\n"
      "page about it. Takes less than a minute.\n"
      "\n"
      "Example:\n"
      "  nodl demo --output demo-output");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("--output", options->output, "Folder for report.html; made if missing.")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the stream and of the learners.")
      ->type_name("N")
      ->check(whole_number<std::uint64_t>(0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the table as JSON.");
  command->callback([options] { demo(*options); });
}

}  // namespace nodl::cli
