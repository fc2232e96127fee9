// One analysis run from paths to findings: find files, lower them in parallel, link and analyse, run the rules. The
// command line, the fixture runner and the benchmark call check(); the same input gives the same result whatever
// `jobs`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyze.h"
#include "analyzer/findings/finding.h"
#include "analyzer/model/api_model.h"
#include "integrations/driver/files.h"
#include "rules/rules.h"

namespace deadgrad::driver {

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<const rules::Rule*> rules;
  AnalysisOptions analysis;
  unsigned jobs = 0;           // 0: one per core
  bool show_progress = false;  // a bar on stderr once the work turns out long
};

struct SourceFile {
  std::string path;  // as findings name it
  std::string text;
};

// Seconds of wall time.
struct Timings {
  double lower = 0, analyze = 0, rules = 0;
};

struct CheckResult {
  std::vector<Finding> findings;
  std::vector<SourceFile> files;  // every Python file that was read, sorted by path
  std::vector<FileNotice> notices;
  std::size_t cpp_files = 0;  // left out: this build has no C++ frontend
  std::size_t notebooks = 0;  // left out: cells are not read
  AnalysisStatistics statistics;
  Timings timings;
  std::unique_ptr<Analysis> analysis;  // what findings were made from

  // The text of a file that a finding names, or null.
  const std::string* text_of(std::string_view path) const;
};

Result<CheckResult> check(const CheckOptions& options, const model::ApiModel& api);

// The modules of `inputs`, in order, with their texts added to `result`: the part of check() before the analysis.
std::vector<ir::Module> lower_all(const Inputs& inputs, const CheckOptions& options, CheckResult& result);

}  // namespace deadgrad::driver
