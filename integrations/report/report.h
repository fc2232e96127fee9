// Renders a CheckResult: text for people, JSON for programs, SARIF for code scanning and editors. Pure functions of the
// result: the same result gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query/query.h"
#include "integrations/driver/check.h"

namespace deadgrad::report {

struct Counts {
  std::size_t errors = 0, warnings = 0, notes = 0;
};
Counts count(const std::vector<Finding>& findings);

struct TextOptions {
  bool color = false;
  bool statistics = false;
  bool explain = false;  // the facts behind each finding; needs the result's analysis
};
std::string render_text(const driver::CheckResult& result, TextOptions options = {});
// One finding as render_text() shows it.
std::string render_finding(const Finding& finding, const driver::CheckResult& result);

// What `deadgrad why` prints.
std::string render_why(const std::vector<Explanation>& answers, const driver::CheckResult& result, bool color);

std::string render_json(const driver::CheckResult& result);
// `rules` are those that were run, in the order in which the log lists them.
std::string render_sarif(const driver::CheckResult& result, std::span<const rules::Rule* const> rules);

// What to do, as a sentence without a full stop: "add `@torch.inference_mode()` above `def sample`".
std::string fix_sentence(const FixRequest& fix, std::string_view source);

// The rule's page as readers see it: without the markers of its generated regions.
std::string page_of(const rules::Rule& rule);

std::string_view name_of(Severity severity);
std::string_view name_of(Confidence confidence);
std::string_view name_of(Role role);

}  // namespace deadgrad::report
