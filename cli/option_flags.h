// Learning options from flags and config files.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

#include "cli11_fwd.h"
#include "json_output.h"
#include "nodl/error.h"
#include "nodl/options.h"

namespace nodl::cli {

/// A flag for every option that has one, made from visit_options() and the table of help texts.
class OptionFlags {
 public:
  /// All options, or only these.
  void add(CLI::App& command, std::initializer_list<const char*> only = {});

  /// What the user gave, as a config file would say it. Throws InvalidOptions.
  Json given() const;

  /// Does it; what is refused under the name of an option is refused under the name of its flag,
  /// where that was given ("--batch-size is 0, must be at least 1"), or with the config file that
  /// has the key ("c.json: batch_size is 0, ...").
  template <class Work>
  auto naming_sources(Work&& work,
                      const Json& config = Json::object(),
                      const std::string& config_path = "") const {
    try {
      return work();
    } catch (const InvalidOptions& error) {
      throw InvalidOptions(with_sources(error.what(), config, config_path));
    }
  }

 private:
  bool is_given(const std::string& name) const;
  std::string with_sources(const std::string& message,
                           const Json& config,
                           const std::string& config_path) const;

  std::map<std::string, CLI::Option*> flags_;
};

/// The flags that say how a model codes.
inline constexpr auto kCodingFlags = {
    "coder", "lambda", "code_nonzeros", "refit", "atom_norm", "positive_code"};

/// Puts one layer (a config file, the flags) over the options. Giving only one of lambda and
/// code_nonzeros switches the other off, half_life implies its memory, scale may be "unit",
/// memory_limit a size such as "512M". Throws InvalidOptions, also for a 0 that the options would
/// take for "derive it".
void apply_layer(Options& options, Json layer);

/// Throws InvalidOptions with all that is wrong, in one line.
void require_valid(const Options& options);

}  // namespace nodl::cli
