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

static std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string fix_sentence(const FixRequest& fix, std::string_view source) {
  if (fix.language == ir::Language::Python) return python::fix_text(fix, source);
  const std::string call =
      fix.guard == FixGuard::InferenceMode ? "c10::InferenceMode guard;" : "torch::NoGradGuard guard;";
  const std::string in_function = fix.function.empty() ? "" : " in " + quoted(fix.function);
  switch (fix.kind) {
    case FixKind::GuardFunction:
      return "start " + quoted(fix.function) + " with " + quoted(call);
    case FixKind::GuardRegion:
      return "put these statements into a block that starts with " + quoted(call) + in_function;
    case FixKind::DetachValue:
      return "cut the graph with " + quoted(".detach()") + in_function;
    case FixKind::NameGuard:
      return "give the guard a name, so that it lives to the end of its block: " + quoted(call);
    case FixKind::DefineGuard:
      return "remove the parentheses, so that it defines an object: " + quoted(call);
    case FixKind::EnterGuard:
      return "enter the guard: " + quoted(call) + in_function;
    case FixKind::MoveGuard:
      return "move the guard so that it covers the forward" + in_function;
    case FixKind::RemoveGuard:
      break;
  }
  return "remove this guard" + in_function;
}

}  // namespace deadgrad::report
