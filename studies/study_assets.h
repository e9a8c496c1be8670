// The files of this folder that are inside the program; cmake/embed.cmake puts them there.
#pragma once

#include <string_view>

namespace nodl::study::assets {

extern const std::string_view kStudies;
extern const std::string_view kClaims;
extern const std::string_view kAuthorsValues;
extern const std::string_view kScikitLearn;

}  // namespace nodl::study::assets
