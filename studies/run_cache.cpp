#include "run_cache.h"

#include <fstream>
#include <ostream>
#include <sstream>
#include <system_error>

#include "nodl/error.h"
#include "nodl/io/matrix_writer.h"

namespace nodl::study {

RunCache::RunCache(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw ResourceError(folder_.string() + ": " + error.message());
}

std::optional<RunResult> RunCache::find(const std::string& key) const {
  std::ifstream in(file(key));
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  const Json json = Json::parse(text.str(), nullptr, false);
  if (!json.is_object() || !json.contains("numbers")) return std::nullopt;
  RunResult result;
  result.numbers = json.at("numbers").get<std::map<std::string, double>>();
  result.pictures = json.at("pictures");
  result.seconds = json.at("seconds");
  return result;
}

void RunCache::store(const std::string& key, const Json& document, const RunResult& result) const {
  const Json json = {{"run", document},
                     {"numbers", result.numbers},
                     {"pictures", result.pictures},
                     {"seconds", result.seconds}};
  io::write_atomically(file(key).string(), [&](std::ostream& out) { out << json.dump() << '\n'; });
}

}  // namespace nodl::study
