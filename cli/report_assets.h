// The files that a report page is made of; cmake/embed.cmake puts them into the program.
#pragma once

#include <string_view>

namespace nodl::cli::assets {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;
extern const std::string_view uplot_css;
extern const std::string_view uplot_js;
extern const std::string_view uplot_license;

}  // namespace nodl::cli::assets
