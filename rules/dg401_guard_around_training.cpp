#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::AroundTraining) continue;
    out.push_back(issue_finding(
        issue, dg401_guard_around_training, Severity::Error,
        quoted(issue.callee) + " fails: its value is made under " + quoted(issue.guard) + " and has no graph"));
  }
}

constinit const Rule dg401_guard_around_training = {
    .id = "DG401",
    .name = "guard-around-training",
    .summary = "backward is called on a value that was made under a guard and has no graph",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
