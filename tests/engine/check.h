// Runs programs in text form through the whole analysis, rules included, and compares the findings with the
// expectations written in their comments. A comment on a line, or alone on the line before it:
//   ; expect: DG102 "part of what the finding says", DG201
//   ; known-miss: DG101 reason      passes while the finding is absent
//   ; known-false: DG101 reason     passes while the wrong finding is there
// Every finding must be expected, so a program without comments proves silence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/ir/ir.h"
#include "analyzer/query/query.h"

namespace deadgrad::engine {

const model::ApiModel& embedded_model();

struct Outcome {
  AnalysisStatistics statistics;
  std::vector<Finding> findings;  // of the rules that are on by default, as run_rules() sorts them
};
// `also` names rules that are off by default and are run all the same.
Outcome analyze_all(std::vector<ir::Module> modules, std::string_view also = {});

// One line a finding, everything that it says.
std::string describe(const std::vector<Finding>& findings);

// Fails the current test for each finding that no comment of `text` expects, and for each comment that is not met.
void check(std::string_view name, std::string_view text);

}  // namespace deadgrad::engine
