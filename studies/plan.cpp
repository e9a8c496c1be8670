#include "plan.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>

#include "nodl/io/model_file.h"

namespace nodl::study {
namespace {

// Raised with every change after which the same document gives other numbers: of the learner, the
// coders, the metrics or the products. 2: XGBoost's forest.
constexpr int kResultVersion = 2;

Options options_of(const Study& study,
                   const Curve& curve,
                   const Json& run,
                   const std::string& preset_name,
                   double value) {
  Json wanted = run.at("options");
  wanted[study.sweep] = value == static_cast<double>(static_cast<Index>(value))
                            ? Json(static_cast<std::uint64_t>(value))
                            : Json(value);
  Options options =
      io::options_from_json(wanted.dump(), preset(enum_named<Preset>(preset_name).value()));
  apply_method(options, enum_named<Method>(curve.method).value());
  // Without births nothing about them matters: one run serves all values.
  if (options.birth.max_births == 0) options.birth = {.max_births = 0};
  return options;
}

bool wants(const Curve& curve, const std::string& preset) {
  return curve.presets.empty() ||
         std::count(curve.presets.begin(), curve.presets.end(), preset) > 0;
}

/// Pictures are made by the first seed only, and at the values that ask for them.
Json products_of(const Json& run, double value, std::uint64_t seed) {
  Json products = Json::object();
  const Json wanted = run.value("products", Json::object());
  for (const auto& [name, product] : wanted.items()) {
    const auto at = product.value("at", std::vector<double>{});
    if (!at.empty() && std::count(at.begin(), at.end(), value) == 0) continue;
    if (seed > 1 && product.value("first_seed_only", false)) continue;
    products[name] = product;
    products[name].erase("at");
    products[name].erase("first_seed_only");
  }
  return products;
}

}  // namespace

Json PlannedRun::document(const DataFolder& data) const {
  Json json = {{"version", kResultVersion},
               {"options", Json::parse(io::options_to_json(options))},
               {"precision", name_of(precision)},
               {"stream", stream},
               {"products", products},
               {"data", data.fingerprint(stream)}};
  if (!scikit_learn.empty()) json["scikit_learn"] = scikit_learn;
  return json;
}

std::string PlannedRun::key(const DataFolder& data) const {
  const std::string text = document(data).dump();
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Index training_samples(const Json& stream) {
  Index sum = 0;
  for (const Json& part : stream.at("train")) sum += part.at("count").get<Index>();
  return sum;
}

double PlannedRun::cost(const DataFolder& data) const {
  const double m = static_cast<double>(data.dimension(stream));
  if (!scikit_learn.empty()) {  // as measured with 1024 pixels and 5400 samples
    return 1e-7 * m * static_cast<double>(training_samples(stream) * options.atoms);
  }
  const double samples = static_cast<double>(training_samples(stream));
  // Newborns count half: they come one batch after the other.
  const double batches = samples / static_cast<double>(options.batch_size);
  const double k = static_cast<double>(options.atoms) +
                   0.2 * batches * static_cast<double>(options.birth.max_births) / 2;
  const double dense =
      options.update.atom_nonzeros >= static_cast<Index>(m) ? m : static_cast<double>(1000);
  const double codings = options.birth.max_births > 0 ? 3 : 2;
  const double speed = precision == Precision::Float32 ? 0.5 : 1;
  return speed * 2e-10 * samples * codings * k * (dense + 2 * std::min(k, 200.0)) + 0.05;
}

std::vector<PlannedRun> plan(const std::vector<Study>& studies,
                             const std::vector<std::string>& presets,
                             int seeds) {
  std::vector<PlannedRun> runs;
  for (const Study& study : studies) {
    for (const std::string& preset : presets) {
      if (!study.presets.contains(preset)) continue;
      for (std::size_t p = 0; p < study.panels.size(); ++p) {
        for (std::size_t c = 0; c < study.curves.size(); ++c) {
          const Curve& curve = study.curves[c];
          if (!wants(curve, preset)) continue;
          Json run = merged(study.run, study.presets.at(preset));
          run.merge_patch(study.panels[p].run);
          run.merge_patch(curve.run);
          for (const double value : curve.values.empty() ? study.values : curve.values) {
            for (int seed = 1; seed <= seeds; ++seed) {
              PlannedRun one;
              one.study = study.id;
              one.preset = preset;
              one.panel = p;
              one.curve = c;
              one.value = value;
              one.seed = static_cast<std::uint64_t>(seed);
              one.options = options_of(study, curve, run, preset, value);
              one.options.seed = one.seed;
              one.precision = enum_named<Precision>(run.value("precision", "float64")).value();
              one.scikit_learn = curve.scikit_learn;
              one.stream = run.at("stream");
              one.products = products_of(run, value, one.seed);
              one.label = fmt::format("{}: {}{}{}, {} {}",
                                      study.figures,
                                      curve.name,
                                      study.panels[p].name.empty() ? "" : ", ",
                                      study.panels[p].name,
                                      study.sweep,
                                      value);
              runs.push_back(std::move(one));
            }
          }
        }
      }
    }
  }
  return runs;
}

}  // namespace nodl::study
