// The subcommands. Each lives in cmd_NAME.cpp: it adds its flags to the program and a callback that
// does the work. Trouble leaves a callback as an exception of nodl/error.h; main() turns it into
// one line on stderr and the exit code of PRODUCT.md.
#pragma once

#include "cli11_fwd.h"

namespace nodl::cli {

void add_train(CLI::App& app);
void add_encode(CLI::App& app);
void add_decode(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_info(CLI::App& app);
void add_export(CLI::App& app);
void add_import(CLI::App& app);
void add_generate(CLI::App& app);
void add_demo(CLI::App& app);
void add_report(CLI::App& app);
void add_prepare(CLI::App& app);
void add_reproduce(CLI::App& app);

}  // namespace nodl::cli
