#include "frontends/cpp/fix_text.h"
#include "frontends/python/fix_text.h"
#include "integrations/report/report.h"

#include <algorithm>

namespace deadgrad::report {

Counts count(const std::vector<Finding>& findings) {
  Counts counts;
  for (const Finding& finding : findings) {
    switch (finding.severity) {
      case Severity::Error:
        ++counts.errors;
        break;
      case Severity::Warning:
        ++counts.warnings;
        break;
      case Severity::Note:
        ++counts.notes;
        break;
    }
  }
  return counts;
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      break;
  }
  return "note";
}

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::High:
      return "high";
    case Confidence::Medium:
      return "medium";
    case Confidence::Low:
      break;
  }
  return "low";
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::Site:
      return "site";
    case Role::Guard:
      return "guard";
    case Role::Loop:
      return "loop";
    case Role::Container:
      return "container";
    case Role::Entry:
      return "entry";
    case Role::Other:
      break;
  }
  return "other";
}

std::string page_of(const rules::Rule& rule) {
  std::string out;
  std::string_view page = rules::rule_page(rule);
  while (!page.empty()) {
    std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(line.size() + 1, page.size()));
    if (!line.starts_with("<!-- ")) out.append(line).append("\n");
  }
  return out;
}

std::string fix_sentence(const FixRequest& fix, std::string_view source) {
  return fix.language == ir::Language::Python ? python::fix_text(fix, source) : cpp::fix_text(fix, source);
}

}  // namespace deadgrad::report
