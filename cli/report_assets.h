// The files that a report page is made of; cmake/embed.cmake puts them into the program.
#pragma once

#include <string_view>

namespace nodl::cli::assets {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kUplotCss;
extern const std::string_view kUplotJs;
extern const std::string_view kUplotLicense;

}  // namespace nodl::cli::assets
