#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::Redundant) continue;
    out.push_back(issue_finding(
        issue, dg303_redundant_guard, Severity::Note,
        quoted(issue.guard) + " changes nothing: " + quoted(issue.callee) + " already holds on every path to it"));
  }
}

constinit const Rule dg303_redundant_guard = {
    .id = "DG303",
    .name = "redundant-guard",
    .summary = "a guard stands inside an equal or stronger one on every path that leads to it",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
