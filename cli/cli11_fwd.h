// Names of CLI11, for headers that need not know more.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
class ParseError;
}  // namespace CLI
