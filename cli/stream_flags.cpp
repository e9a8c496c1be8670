#include "stream_flags.h"

#include <CLI/CLI.hpp>

#include "nodl/error.h"

namespace nodl::cli {

void StreamFlags::add(CLI::App& command) {
  constexpr const char* group = "Inputs";
  command
      .add_option("--bad-rows",
                  bad_rows,
                  "Rows with NaN, infinity, text or a wrong number of columns: stop, skip them, or "
                  "skip and write them to a file.")
      ->type_name("stop|skip|quarantine")
      ->default_str("stop")
      ->group(group);
  command
      .add_option(
          "--quarantine",
          quarantine,
          "The file of --bad-rows quarantine, a line of JSON each. Default: the model's name "
          "and .bad-rows.jsonl.")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--follow",
                follow,
                "At the end of the last input, wait for more of it (.csv, .tsv, .svm, raw) until a "
                "signal comes.")
      ->group(group);
}

void StreamFlags::check_values() const {
  if (bad_rows != "stop" && bad_rows != "skip" && bad_rows != "quarantine") {
    throw InvalidOptions("--bad-rows must be stop|skip|quarantine, not " + bad_rows);
  }
}

void StreamFlags::apply(io::ReadOptions& read, const std::string& model) const {
  check_values();
  if (!quarantine.empty() && bad_rows != "quarantine") {
    throw InvalidOptions("--quarantine needs --bad-rows quarantine");
  }
  read.follow = follow;
  if (bad_rows == "skip") read.bad_rows = std::make_shared<io::BadRows>();
  if (bad_rows == "quarantine") {
    read.bad_rows =
        std::make_shared<io::BadRows>(quarantine.empty() ? model + ".bad-rows.jsonl" : quarantine);
  }
}

}  // namespace nodl::cli
