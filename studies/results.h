// Results of all runs, put together as the page and the claims look at them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "studies/execute.h"
#include "studies/plan.h"

namespace nodl::study {

/// One number over the seeds.
struct Sample {
  std::vector<double> values;

  double mean() const;
  double deviation() const;  // over seeds; 0 for one seed
  /// Half of the 95 % confidence interval of the mean (Student); 0 for one seed.
  double half_width() const;
};

/// One value of the sweep.
struct Point {
  double value = 0;
  std::map<std::string, Sample> numbers;
  Json pictures = Json::object();  // of the first seed
};

struct CurveResult {
  const Study* study = nullptr;
  std::string preset;
  std::size_t panel = 0;
  std::size_t curve = 0;
  Options options;  // of the first run
  std::vector<Point> points;

  const std::string& name() const { return study->curves[curve].name; }
  const std::string& panel_name() const { return study->panels[panel].name; }
};

class Results {
 public:
  /// `keys` name the result of each run.
  Results(std::vector<Study> studies,
          const std::vector<PlannedRun>& runs,
          const std::vector<std::string>& keys,
          const std::map<std::string, RunResult>& by_key);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  const std::vector<Study>& studies() const { return studies_; }
  const std::vector<CurveResult>& curves() const { return curves_; }
  /// Those of one study and preset; an empty name stands for any.
  std::vector<const CurveResult*> find(const std::string& study,
                                       const std::string& preset,
                                       const std::string& panel,
                                       const std::string& curve) const;
  Json to_json() const;

 private:
  std::vector<Study> studies_;
  std::vector<CurveResult> curves_;
};

}  // namespace nodl::study
