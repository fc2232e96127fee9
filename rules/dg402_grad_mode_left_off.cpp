#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::LeftOff) continue;
    out.push_back(
        issue_finding(issue, dg402_grad_mode_left_off, Severity::Error,
                      quoted(issue.guard) + " stays in force: " + quoted(issue.callee) + " later finds no graph"));
  }
}

constinit const Rule dg402_grad_mode_left_off = {
    .id = "DG402",
    .name = "grad-mode-left-off",
    .summary = "autograd is switched off and stays off for the training that follows on the same thread",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
