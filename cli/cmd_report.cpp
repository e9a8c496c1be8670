// nodl report: the page of a training run, or of a reproduction.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <variant>

#include "commands.h"
#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"
#include "nodl/io/model_file.h"
#include "output_checks.h"
#include "report_atoms.h"
#include "report_page.h"
#include "run_history.h"
#include "study_output.h"
#include "table.h"

namespace nodl::cli {
namespace {

struct ReportOptions {
  std::string events;
  std::string model;
  std::string shape;
  std::string vocabulary;
  std::string output;
};

AtomView view_of(const ReportOptions& options) {
  AtomView view;
  if (!options.shape.empty()) read_shape(options.shape, view);
  if (!options.vocabulary.empty()) read_vocabulary(options.vocabulary, view);
  return view;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// One number of each point.
template <class Member>
std::vector<double> column(const RunHistory& run, Member member) {
  std::vector<double> values;
  for (const RunPoint& point : run.points) values.push_back(static_cast<double>(member(point)));
  return values;
}

/// A chart of the run: x is the batch, names of the inputs above it.
Chart run_chart(const RunHistory& run,
                std::string title,
                std::string caption,
                std::string y_label) {
  Chart chart;
  chart.title = std::move(title);
  chart.caption = std::move(caption);
  chart.x_name = run.batches_per_point == 1 ? "batch" : "batches to";
  chart.x_label = "batch";
  chart.x = column(run, [](const RunPoint& p) { return p.last_batch; });
  chart.y_label = std::move(y_label);
  chart.group = "run";
  if (run.inputs.size() > 1) {
    for (const RunInput& input : run.inputs) {
      chart.bands.push_back({static_cast<double>(input.first_batch) - 0.5,
                             static_cast<double>(input.last_batch) + 0.5,
                             base_name(input.name),
                             chart.bands.size() % 2 == 1});
    }
  }
  return chart;
}

/// The last tenth of the run, as one point.
RunPoint last_tenth(const RunHistory& run) {
  RunHistory end;
  end.points.assign(run.points.end() - static_cast<std::ptrdiff_t>((run.points.size() + 9) / 10),
                    run.points.end());
  return end.total();
}

double seconds_of(const RunPoint& point) {
  double sum = 0;
  for (const double seconds : point.seconds) sum += seconds;
  return sum;
}

Colour colour_of_stage(const std::string& stage) {
  if (stage == "code") return Colour::Blue;
  if (stage == "birth") return Colour::Green;
  if (stage == "memory") return Colour::Purple;
  if (stage == "update") return Colour::Orange;
  if (stage == "read") return Colour::Teal;
  if (stage == "evaluate") return Colour::Red;
  return Colour::Grey;
}

void add_run(ReportPage& page, const RunHistory& run) {
  const RunPoint total = run.total();
  const RunPoint end = last_tenth(run);
  const double seconds = seconds_of(total);

  page.facts({
      {"Samples", total.samples, {}, fmt::format("{} batches", grouped(total.batches()))},
      {"Pearson", end.pearson_before, 3, "new samples, last tenth"},
      {"Atoms", total.atoms, {}, fmt::format("{} alive", grouped(total.atoms_alive))},
      {"Births",
       total.born,
       {},
       total.denied ? fmt::format("{} denied", grouped(total.denied)) : ""},
      {"Deaths",
       total.died,
       {},
       total.died ? fmt::format("mean age {:.0f} batches", run.age_at_death) : ""},
      {"Time",
       duration(seconds),
       {},
       seconds > 0
           ? fmt::format("{} samples/s",
                         grouped(std::llround(static_cast<double>(total.samples) / seconds)))
           : ""},
  });
  if (run.batches_per_point > 1) {
    page.text(
        {fmt::format("Each point of the charts stands for {} batches: the mean of the "
                     "correlations, the sum of births and deaths, the last number of atoms.",
                     run.batches_per_point)});
  }

  Chart pearson =
      run_chart(run,
                "How well samples are represented",
                "Mean Pearson correlation of a batch with its reconstruction: before the "
                "learner had seen it, and after it learned from it.",
                "Pearson");
  pearson.digits = 3;
  pearson.height = 240;
  pearson.series = {
      {"before", column(run, [](const RunPoint& p) { return p.pearson_before; }), Colour::Blue},
      {"after", column(run, [](const RunPoint& p) { return p.pearson_after; }), Colour::Green}};
  pearson.series[1].dashed = true;
  pearson.y_max = 1.02;  // a line at 1 is whole
  page.chart(pearson);

  Chart atoms = run_chart(run, "Size of the dictionary", "", "atoms");
  atoms.y_min = 0;
  atoms.series = {{"atoms",
                   column(run, [](const RunPoint& p) { return p.atoms; }),
                   Colour::Blue,
                   Series::Kind::Steps}};
  if (std::any_of(run.points.begin(), run.points.end(), [](const RunPoint& p) {
        return p.atoms_alive != p.atoms;
      })) {
    atoms.series.push_back({"alive",
                            column(run, [](const RunPoint& p) { return p.atoms_alive; }),
                            Colour::Green,
                            Series::Kind::Steps});
  }
  page.chart(atoms);

  Chart life = run_chart(run,
                         "Births and deaths",
                         "Atoms born (upwards) and died (downwards) in each batch.",
                         "atoms");
  life.series = {{"born",
                  column(run, [](const RunPoint& p) { return p.born; }),
                  Colour::Green,
                  Series::Kind::Bars},
                 {"died",
                  column(run, [](const RunPoint& p) { return p.died; }),
                  Colour::Red,
                  Series::Kind::Bars,
                  true}};
  page.chart(life);

  if (seconds > 0) {
    page.heading("Time");
    std::vector<Part> parts;
    Chart time = run_chart(run, "Seconds per batch, by stage", "", "seconds");
    time.y_min = 0;
    for (std::size_t i = 0; i < run.stages.size(); ++i) {
      const Colour colour = colour_of_stage(run.stages[i]);
      parts.push_back({run.stages[i], total.seconds[i], colour});
      time.series.push_back({run.stages[i],
                             column(run,
                                    [&](const RunPoint& p) {
                                      return p.seconds[i] / static_cast<double>(p.batches());
                                    }),
                             colour});
    }
    page.parts("Where the time went", "s", 2, parts);
    page.chart(time);
  }
}

template <class Scalar>
void add_model(ReportPage& page,
               const Model<Scalar>& model,
               const std::string& path,
               const AtomView& view) {
  const Dictionary<Scalar>& dictionary = model.dictionary;
  page.heading("The model");
  page.text({fmt::format("`{}`: {} atoms of {} coordinates after {} batches.",
                         base_name(path),
                         grouped(dictionary.size()),
                         grouped(dictionary.dimension()),
                         grouped(model.progress.batches))});

  // Uses of the atoms by the batch they were born in; several of one batch lie above each other, so
  // the chart shows the mean.
  std::vector<AtomRecord> records = dictionary.records();
  std::sort(records.begin(), records.end(), [](const AtomRecord& a, const AtomRecord& b) {
    return a.birth_batch < b.birth_batch;
  });
  Chart use;
  use.title = "Who does the work";
  use.caption =
      "Mean number of samples whose code used an atom, by the batch the atom was born in.";
  use.x_name = "born in batch";
  use.x_label = "batch of birth";
  use.y_label = "uses per atom";
  use.y_min = 0;
  Series mean{"mean uses", {}, Colour::Blue, Series::Kind::Bars};
  for (std::size_t i = 0; i < records.size();) {
    double uses = 0;
    std::size_t n = 0;
    const std::int64_t batch = records[i].birth_batch;
    for (; i < records.size() && records[i].birth_batch == batch; ++i, ++n) {
      uses += static_cast<double>(records[i].uses);
    }
    use.x.push_back(static_cast<double>(batch));
    mean.values.push_back(std::round(uses / static_cast<double>(n)));
  }
  use.series = {mean};
  if (use.x.size() > 1) page.chart(use);

  constexpr Index kMaxEntries = 200000;
  if (dictionary.sparse_size() == dictionary.size() &&
      dictionary.sparse_block().nonzeros() <= kMaxEntries && dictionary.size() > 0) {
    Supports supports;
    supports.title = "Where the atoms live";
    supports.caption = "A column is an atom, oldest to the left; inked where it is not zero.";
    supports.sides = {{"", dictionary.dimension()}};
    supports.pictures = {{"",
                          fmt::format("{} atoms", grouped(dictionary.size())),
                          supports_of(dictionary.to_dense()),
                          Colour::Blue}};
    page.supports(supports);
  }
  add_atoms(page, model, view);
  page.options("All options of the run", model.options);
}

void report_study(const ReportOptions& options) {
  if (!options.model.empty()) throw InvalidOptions("--model is for the events of a run");
  const StudyOutput output = read_study_output(options.events);
  io::write_atomically(options.output, [&](std::ostream& out) { out << output.html; });
}

void report(const ReportOptions& options) {
  require_separate({{"--output", options.output}},
                   {options.events, options.model, options.vocabulary});
  if (std::filesystem::is_directory(options.events)) return report_study(options);
  const RunHistory run = read_events(options.events);
  std::string subtitle = fmt::format("From `{}`", base_name(options.events));
  if (run.inputs.size() == 1)
    subtitle += fmt::format(", learned from `{}`", base_name(run.inputs[0].name));
  ReportPage page("Training run", subtitle + ".");
  add_run(page, run);
  if (!options.model.empty()) {
    const AnyModel model = io::load_model(options.model);
    const AtomView view = view_of(options);
    std::visit([&](const auto& m) { add_model(page, m, options.model, view); }, model);
  }
  io::write_atomically(options.output, [&](std::ostream& out) { out << page.html(); });
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "One HTML page of a training run, or of a reproduction.");
  command->footer(
      "The page is one file, needs no network, and opens in any browser.\n"
      "\n"
      "Example:\n"
      "  nodl train x.npy --model m.nodl --events run.jsonl\n"
      "  nodl report run.jsonl --model m.nodl --output report.html");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("EVENTS",
                   options->events,
                   "Events of the run (train --events), or the folder of nodl reproduce.")
      ->required();
  command->add_option("--model", options->model, "Model of the run: adds its atoms and options.")
      ->type_name("FILE");
  command->add_option("--shape", options->shape, "Atoms as pictures, rows by columns.")
      ->type_name("HxW")
      ->needs("--model");
  command
      ->add_option(
          "--vocabulary", options->vocabulary, "Names of coordinates: the atoms' top words.")
      ->type_name("FILE")
      ->needs("--model");
  command->add_option("--output", options->output, "Page to write.")
      ->type_name("FILE")
      ->default_val("report.html");
  command->callback([options] { report(*options); });
}

}  // namespace nodl::cli
