// The program: which commands there are, and what each kind of trouble means outside.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "help_formatter.h"
#include "interruption.h"
#include "nodl/error.h"
#include "nodl/version.h"
#include "usage.h"

namespace {

// Exit codes; PRODUCT.md.
constexpr int kDone = 0;
constexpr int kBug = 1;
constexpr int kUsage = 2;
constexpr int kData = 3;
constexpr int kModel = 4;
constexpr int kResource = 5;
constexpr int kSignal = 128;  // and the signal's number

int fail(int code, std::string what) {
  // One line without commands to a terminal, whatever a library or a file put into the message.
  for (char& c : what) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  fmt::print(stderr, "nodl: {}\n", what);
  return code;
}

void add_commands(CLI::App& app) {
  using namespace nodl::cli;
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_help_ptr()->description("This text.");
  app.set_version_flag("--version", "nodl " NODL_VERSION, "The program's version.");
  app.footer(
      "nodl help COMMAND, or nodl COMMAND --help, tells more. No data at hand? Try: nodl demo");
  app.require_subcommand(1);
  add_demo(app);
  add_train(app);
  add_encode(app);
  add_decode(app);
  add_evaluate(app);
  add_info(app);
  add_export(app);
  add_import(app);
  add_generate(app);
  add_report(app);
  add_prepare(app);
  add_reproduce(app);
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    command->group("Commands");
    command->get_help_ptr()->description("This text.");
  }
}

/// Output that could not be written must not look like success.
void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw nodl::ResourceError(std::string("standard output cannot be written: ") +
                              std::strerror(errno));
  }
}

/// `nodl help train` is `nodl train --help`. An unknown command gets no flag: beside one, CLI11
/// would not refuse it.
std::vector<std::string> arguments_of(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  try {
    const CLI::App* command = &app;
    for (const std::string& name : arguments) command = command->get_subcommand(name);
    arguments.emplace_back("--help");
  } catch (const CLI::OptionNotFound&) {
  }
  return arguments;
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    if (argc < 2) {
      fmt::print("{}", app.help());
      flush_output();
      return kUsage;
    }
    std::vector<std::string> arguments = arguments_of(app, argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
    flush_output();
    return kDone;
  } catch (const CLI::Success& asked_for) {  // --help, --version
    const int code = app.exit(asked_for);
    flush_output();
    return code;
  }
}

/// Every kind of trouble as its line and its exit code.
int run_and_explain(int argc, char** argv) {
  CLI::App app{
      "nodl learns a sparse dictionary from a stream whose nature changes: new atoms are born when "
      "the\n"
      "world changes, useless ones die, and what was known stays known.",
      "nodl"};
  try {
    add_commands(app);
    return run(app, argc, argv);
  } catch (const nodl::cli::Interrupted& interrupted) {
    return fail(kSignal + interrupted.signal(), interrupted.what());
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, nodl::cli::explain(app, error));
  } catch (const nodl::InvalidOptions& error) {
    return fail(kUsage, error.what());
  } catch (const nodl::DataError& error) {
    return fail(kData, error.what());
  } catch (const nodl::ShapeMismatch& error) {
    return fail(kData, error.what());
  } catch (const nodl::ModelError& error) {
    return fail(kModel, error.what());
  } catch (const nodl::ResourceError& error) {
    return fail(kResource, error.what());
  } catch (const std::system_error& error) {  // fmt: standard output is closed or full
    return fail(kResource, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kResource, "out of memory");
  } catch (const std::exception& error) {
    return fail(kBug, std::string("internal error: ") + error.what());
  }
}

/// What a signal handler may do: no name of the file, but a line and its exit code.
void explain_lost_input(int) {
  constexpr char kLine[] =
      "nodl: an input could not be read to its end: was it cut short, or written anew?\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(kData);
}

/// A standard stream that is closed must stay so: the next file that is opened would get its
/// number, and what is printed would go into that file. What cannot be written is an error that
/// has its line and its exit code, no signal.
void keep_streams_apart() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest number
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, &explain_lost_input);  // a mapped file that has become shorter
}

}  // namespace

int main(int argc, char** argv) {
  keep_streams_apart();
  try {
    return run_and_explain(argc, argv);
  } catch (...) {  // not even the explanation could be given
    return kBug;
  }
}
