// What help says about each learning option: one row an option of visit_options().
#pragma once

#include <span>
#include <string>

namespace nodl::cli {

struct OptionText {
  const char* name;  // as in visit_options()
  const char* group;
  const char* text;
};

/// In the order in which help shows them. Options that have no flag of their own are not in it.
std::span<const OptionText> option_texts();

/// "50", or "lars; released: threshold" where the presets differ; "derived" where the data decide.
std::string default_text(const std::string& name);

}  // namespace nodl::cli
